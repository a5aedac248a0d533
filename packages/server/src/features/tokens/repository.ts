/** The SQL of tokens, which are columns of their agents. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { TokenRow } from './present.ts';

const columns = [
  'id',
  'ownerWallet',
  'ownerUserId',
  'moderationStatus',
  'tokenMint',
  'tokenName',
  'tokenSymbol',
  'tokenNamedBy',
  'tokenReadAt',
  'tokenWords',
  'tokenImageUrl',
  'tokenMode',
  'tokenCreatorWallet',
  'tokenTxHash',
  'tokenCreatedAt',
  'tokenLaunchAttemptedAt',
] as const satisfies readonly (keyof TokenRow)[];

/** Locks the agent until the transaction ends. */
export async function lockToken(tx: Tx, id: AgentId): Promise<TokenRow | undefined> {
  return await tx.selectFrom('agents').select(columns).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function writeToken(tx: Tx, token: TokenRow, updatedAt: Date): Promise<void> {
  const { id, ownerWallet: _wallet, ownerUserId: _user, moderationStatus: _status, tokenLaunchAttemptedAt: _lock, ...columns } = token;
  await tx
    .updateTable('agents')
    .set({ ...columns, updatedAt })
    .where('id', '=', id)
    .execute();
}

const NO_TOKEN = {
  tokenMint: null,
  tokenName: null,
  tokenSymbol: null,
  tokenNamedBy: null,
  tokenReadAt: null,
  tokenImageUrl: null,
  tokenMode: null,
  tokenCreatorWallet: null,
  tokenTxHash: null,
  tokenCreatedAt: null,
} as const;

export async function clearTokenColumns(tx: Tx, id: AgentId, updatedAt: Date): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ ...NO_TOKEN, tokenWords: [], tokenLaunchAttemptedAt: null, updatedAt })
    .where('id', '=', id)
    .execute();
}

export async function releaseLaunch(tx: Tx, id: AgentId, updatedAt: Date): Promise<void> {
  await tx.updateTable('agents').set({ tokenLaunchAttemptedAt: null, updatedAt }).where('id', '=', id).execute();
}

export async function hasOpenLaunch(tx: Tx, id: AgentId): Promise<boolean> {
  const open = tx.selectFrom('agentMints').select('mint').where('agentId', '=', id).where('kind', '=', 'token_launch');
  return (await open.where('state', '=', 'open').executeTakeFirst()) !== undefined;
}

/** Locks the agent's launch before it pays, so that no second launch pays. */
export async function lockLaunch(tx: Tx, id: AgentId, now: Date): Promise<void> {
  await tx.updateTable('agents').set({ tokenLaunchAttemptedAt: now, updatedAt: now }).where('id', '=', id).execute();
}
