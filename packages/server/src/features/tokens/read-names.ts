/**
 * Compares each token made elsewhere with its mint, and records whether the mint still bears the name on record. Tokens of earlier versions
 * were registered without this comparison.
 */
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import { agreesWithMint, namedBy } from './token-words.ts';
import type { TokensContext } from './tokens-context.ts';
import { listUnreadTokens, writeReading } from './words-repository.ts';

const PER_ROUND = 100;

type Context = Pick<TokensContext, 'database' | 'chains' | 'serviceName' | 'log'>;

export async function readNames({ database: { db }, chains, serviceName, log }: Context): Promise<void> {
  const tokens = chains.get('solana-mainnet')?.tokens;
  if (tokens === undefined) return;
  for (const token of await listUnreadTokens(db, PER_ROUND)) {
    try {
      const names = (await tokens.readMint(token.mint))?.names ?? null;
      const agrees = names !== null && agreesWithMint(names, token, serviceName);
      if (names !== null && !agrees)
        log.warn(
          { agent: token.agentId, mint: token.mint, on_record: token.name },
          'the mint of a token says another name than its record',
        );
      await writeReading(db, token, agrees ? namedBy(names) : 'owner');
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      // The next round asks again.
      return;
    }
  }
}
