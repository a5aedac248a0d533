/** Checks who may put a token on an agent's record, in the order that clients know: 409, then 403. */
import { MarketError } from '@market/contract';
import { listConfirmedWallets } from '../../access/authority/spendable-wallets-repository.ts';
import type { Caller } from '../../access/caller.ts';
import { actsAsAnother } from '../../access/ownership.ts';
import type { Db } from '../../platform/db/database.ts';
import type { AgentRow } from '../agents/index.ts';

type TokenAgent = Pick<AgentRow, 'id' | 'tokenMint' | 'tokenLaunchAttemptedAt' | 'moderationStatus' | 'ownerWallet' | 'ownerUserId'>;

/** Returns the wallet that signed and may register. Runs also before a malformed request is refused. */
export async function requireRegisteringWallet(db: Db, caller: Caller, agent: TokenAgent, creator?: unknown): Promise<string> {
  if (agent.tokenMint !== null) throw new MarketError('token_already_set');
  if (agent.tokenLaunchAttemptedAt !== null) throw new MarketError('token_launch_in_progress');
  if (agent.moderationStatus !== 'ok') throw new MarketError('token_agent_hidden');
  const { wallet } = caller;
  // A sign-in token lets a session pass the check of the tier; here the signature itself is the proof.
  if (wallet?.signatureDigest === undefined)
    throw new MarketError('invalid_signature', { message: 'A session is not enough here. Sign with the wallet that created the token.' });
  if (!(await mayRegister(db, caller, agent, wallet.address))) throw new MarketError('not_token_owner');
  if (typeof creator === 'string' && creator !== wallet.address) throw new MarketError('token_creator_mismatch');
  return wallet.address;
}

async function mayRegister(db: Db, caller: Caller, { id, ownerWallet, ownerUserId }: TokenAgent, wallet: string): Promise<boolean> {
  if (actsAsAnother(caller, id)) return false;
  if (ownerWallet !== null) return ownerWallet === wallet;
  // A wallet that merely signs beside the account proves nothing about it.
  if (ownerUserId !== null) return (await listConfirmedWallets(db, ownerUserId)).includes(wallet);
  // Without an owner the agent's key must sign: otherwise any stranger could put a token on it.
  return caller.agent?.id === id;
}
