/**
 * Which mint the next launch or identity of an agent makes. Its number is how many there were; lost books may have come further, and what
 * they made is the one to finish.
 */
import { type AgentId, MarketError } from '@market/contract';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { CustodyContext } from '../custody/index.ts';
import { type NewMintKey, newMintKey } from './mint-key.ts';
import { listMints, type MintRow } from './repository.ts';

/** How many launches in a row lost books may have tried. */
const NUMBERS_AHEAD = 4;

export async function planMintKey(
  { database, secrets, chains }: Pick<CustodyContext, 'database' | 'secrets' | 'chains'>,
  agentId: AgentId,
  kind: MintRow['kind'],
): Promise<NewMintKey> {
  const launcher = chains.get('solana-mainnet')?.launcher;
  if (launcher === undefined) throw new MarketError('wallets_disabled');
  const known = await listMints(database.db, agentId, kind);
  const ahead = Array.from({ length: NUMBERS_AHEAD }, (_, at) => newMintKey(secrets, `${agentId} ${kind} ${known.length + at}`));
  const free = ahead.filter(({ mint }) => !known.includes(mint));
  try {
    const made = await Promise.all(free.map(({ mint }) => launcher.isMade(mint)));
    const key = free.find((_, at) => made[at]) ?? free[0];
    if (key === undefined) throw new Error(`${agentId} has no free mint for ${kind}`);
    return key;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new MarketError('mint_failed', {
      message: 'Nothing was made. The network cannot be asked right now. You may try again.',
      cause: error,
    });
  }
}
