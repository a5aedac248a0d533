/** The end of a mint as an answer: 502 when nothing was made, 504 while the chain has not confirmed it. */
import { MarketError } from '@market/contract';
import type { MintEnd } from '../../agent-wallets/index.ts';

export function requireMade(end: MintEnd): { readonly reference: string; readonly isFinal: boolean } {
  switch (end.state) {
    case 'made':
    case 'landed':
      return { reference: end.reference, isFinal: end.state === 'made' };
    case 'failed':
      throw new MarketError('mint_failed', { message: `Nothing was made. ${end.reason} You may try again.` });
    case 'pending':
      throw new MarketError('mint_pending', { retryAfterSeconds: 10 });
  }
}
