/**
 * Plans the mint of an agent's next launch or identity. Its number counts the earlier ones. Lost books may have come further; the mint that
 * they made is then the one to finish.
 */
import { type AgentId, MarketError } from '@market/contract';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { AgentWalletsContext } from '../../agent-wallets/index.ts';
import { type NewMintKey, newMintKey } from './mint-key.ts';
import { listMints, type MintRow } from './repository.ts';

/** How many launches in a row lost books may have tried. */
const NUMBERS_AHEAD = 4;

export async function planMintKey(
  { database, secrets, chains }: Pick<AgentWalletsContext, 'database' | 'secrets' | 'chains'>,
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
