export * from '../../shared/bounded-fetch.ts';
