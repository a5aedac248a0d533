/** Refuses names that belong to somebody else: reserved words, tokens on record or on their way, and other people's agents. */
import { MarketError } from '@market/contract';
import type { MintNames } from '../../platform/chains/token-reader.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { claimedWords, findReserved, tokenWords } from './token-words.ts';
import { isAgentNamed, isWordTaken, lockTokenWords, type NamedAgent } from './words-repository.ts';

export interface TokenClaim extends MintNames {
  /** The mint of an existing token. Another agent that registers the same mint gets `token_mint_taken` instead. */
  readonly mint?: string;
}

/** A first check before any call elsewhere. `keepFreeNames` decides. */
export async function requireFreeNames(db: Db, agent: NamedAgent, names: TokenClaim, serviceName: string): Promise<void> {
  const reserved = findReserved(names, serviceName);
  if (reserved !== undefined) throw new MarketError('token_name_reserved', { message: reserved });
  if (await isWordTaken(db, { agentId: agent.id, mint: names.mint ?? '' }, claimedWords(names, serviceName)))
    throw new MarketError('token_name_reserved', {
      message: `Another token on record is called "${names.name}" or "${names.symbol}", or looks like it. Write to the operators if that is your name.`,
    });
  // Check the symbol, too: on record it keeps the other agent from launching under its own name.
  if (await isAgentNamed(db, agent, tokenWords(names, serviceName)))
    throw new MarketError('token_name_reserved', {
      message: `Another agent is called "${names.name}" or "${names.symbol}". Its name is kept for a token of its own.`,
    });
}

/** Checks again in the transaction that takes the names. One such transaction at a time, so that nobody takes the same names meanwhile. */
export async function keepFreeNames(tx: Tx, agent: NamedAgent, names: TokenClaim, serviceName: string): Promise<void> {
  await lockTokenWords(tx);
  await requireFreeNames(tx, agent, names, serviceName);
}
