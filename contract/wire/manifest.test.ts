import { describe, expect, it } from 'vitest';
import { ListingDeclarationError, ManifestError, parseManifest } from './manifest.ts';
import { cites } from '#test/spec/verifies.ts';

const base = { name: 'greeter', version: '0.1.0', entrypoint: 'agent:Greeter' };

describe('svc.yaml', () => {
  it('reads the three required keys and leaves listing undecided', cites('manifest'), () => {
    expect(parseManifest(base)).toEqual(base);
    expect(parseManifest({ ...base, expose: { public: true } }).expose?.public).toBe(true);
  });

  it('names the model of ctx.llm, one of those that are allowed', () => {
    for (const models of [{ default: 'gpt-5.5' }, { default: 'gpt-5.5', allow: ['claude-*', 'gpt-5*'] }])
      expect(parseManifest({ ...base, models }).models?.default).toBe('gpt-5.5');
  });

  it.each([['yes'], ['false'], [1], [null], [{}]])('refuses expose.public: %j', cites('manifest'), (value) => {
    expect(() => parseManifest({ ...base, expose: { public: value } })).toThrow(ListingDeclarationError);
  });

  it('fills the frontend block', cites('manifest'), () => {
    expect(parseManifest({ ...base, frontend: {} }).frontend).toEqual({
      path: 'frontend',
      build: 'npm run build',
      dist: 'dist',
      mount: '/app',
      auth: 'inherit',
    });
  });

  it.each([
    [{ ...base, expsoe: {} }, /expsoe: unknown key/],
    [{ ...base, name: 'No Good' }, /name: use lower-case/],
    [{ ...base, version: '1' }, /version: use a semantic version/],
    [{ ...base, entrypoint: 'agent' }, /entrypoint: use "module:Class"/],
    [{ ...base, entrypoint: '../x:Y' }, /entrypoint/],
    [{ ...base, entrypoint: 'a/../../x:Y' }, /entrypoint/],
    [{ ...base, models: { default: 'gpt-5.5', allow: ['claude-*', 'gpt-5'] } }, /models\.default: is none of the models that "allow" names/],
    ['text', /top/],
    [null, /top/],
  ])('names the place and the remedy: %j', (value, message) => {
    expect(() => parseManifest(value)).toThrow(ManifestError);
    expect(() => parseManifest(value)).toThrow(message);
  });
});
