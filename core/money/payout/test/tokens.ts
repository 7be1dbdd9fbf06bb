// What payouts must come to, said plainly: each unit of money is a thing of its own that lies in a wallet or
// in what was bought with it. For tests.

interface Token {
  lot: number;
  /** received: from outside; given: not; lost: received, and taken back. */
  is: 'received' | 'given' | 'lost';
}
const ORDER = ['received', 'given', 'lost'];

interface Bought {
  at: number;
  tokens: Token[];
}

export class Tokens {
  #at = 0;
  wallet: Token[] = [];
  bought: Bought[] = [];

  fund(count: number, is: 'received' | 'given'): number {
    this.#at += 1;
    for (let n = 0; n < count; n += 1) this.wallet.push({ lot: this.#at, is });
    return this.#at;
  }

  spend(count: number): Bought {
    this.#at += 1;
    this.#sort();
    const bought = { at: this.#at, tokens: this.wallet.splice(0, count) };
    this.bought.push(bought);
    return bought;
  }

  undo(bought: Bought): void {
    this.#at += 1;
    this.wallet.push(...bought.tokens);
    bought.tokens = [];
  }

  /** `fromWallet` left the wallet, `loss` did not: nobody gave it back. */
  refund(lot: number, fromWallet: number, loss: number): void {
    this.#at += 1;
    this.#sort();
    const own = this.wallet.filter((token) => token.lot === lot).slice(0, fromWallet);
    this.wallet = this.wallet.filter((token) => !own.includes(token));
    const others = this.wallet.splice(0, fromWallet - own.length);
    const paid = this.#paidBy(lot).slice(0, others.length);
    // What it had paid for, others pay now.
    for (const [at, { bought, token }] of paid.entries()) bought.tokens.splice(bought.tokens.indexOf(token), 1, ...others.slice(at, at + 1));
    const mine = [...this.wallet.filter((token) => token.lot === lot), ...this.#paidBy(lot).map(({ token }) => token)];
    for (const token of mine.filter(({ is }) => is === 'received').slice(0, loss)) token.is = 'lost';
  }

  /** The wallet pays what was lost; given credits pay nobody. */
  payLosses(count: number): void {
    this.#at += 1;
    this.#sort();
    this.recover(this.wallet.splice(0, count).filter(({ is }) => is === 'received').length);
  }

  recover(count: number): void {
    const lost = this.bought
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ tokens }) => tokens.filter(({ is }) => is === 'lost').toSorted((a, b) => a.lot - b.lot));
    const left = this.wallet.filter(({ is }) => is === 'lost').toSorted((a, b) => a.lot - b.lot);
    for (const token of [...lost, ...left].slice(0, count)) token.is = 'received';
  }

  static receivedIn({ tokens }: Bought): number {
    return tokens.filter(({ is }) => is === 'received').length;
  }

  #paidBy(lot: number): { bought: Bought; token: Token }[] {
    return this.bought
      .toSorted((a, b) => b.at - a.at)
      .flatMap((bought) =>
        bought.tokens
          .filter((token) => token.lot === lot)
          .toSorted((a, b) => ORDER.indexOf(a.is) - ORDER.indexOf(b.is))
          .map((token) => ({ bought, token })),
      );
  }

  #sort(): void {
    this.wallet = this.wallet.toSorted((a, b) => a.lot - b.lot || ORDER.indexOf(a.is) - ORDER.indexOf(b.is));
  }
}
