/** Takes permissions away from a connected program, changes its agent or its limit. */
import { type AgentId, MarketError, parseUsd } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { isOwner } from '../../../access/ownership.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { findAgent } from '../../agents/index.ts';
import type { ConnectionsContext } from '../connections-context.ts';
import { peopleOf } from '../people.ts';
import { presentConnections } from '../present.ts';
import { findConnection, lockConnection, updateConnection } from '../repository.ts';

export function changeConnection(context: ConnectionsContext): HandlersOf<'connections'>['update'] {
  return async ({ id, scopes, agent_id: agentId, daily_limit_usd: limit }, call) =>
    await call.commit(async (tx) => {
      const people = peopleOf(call.caller);
      const held = await lockConnection(tx, id, people);
      if (held === undefined) throw new MarketError('connection_not_found');
      if (scopes?.some((scope) => !held.scopes.includes(scope))) throw new MarketError('scope_not_granted');
      if (agentId !== undefined && agentId !== null) await requireOwnAgent(tx, call.caller, agentId);
      if (scopes !== undefined || agentId !== undefined) {
        await updateConnection(tx, held.id, {
          ...(scopes !== undefined && { scopes: held.scopes.filter((scope) => (scopes as readonly string[]).includes(scope)) }),
          ...(agentId !== undefined && { agentId }),
        });
      }
      if (limit !== undefined) await setLimit(tx, context, held.id, limit);
      const changed = await findConnection(tx, held.id, people);
      const [data] = changed === undefined ? [] : await presentConnections(tx, context, [changed]);
      if (data === undefined) throw new MarketError('connection_not_found');
      return { data };
    });
}

/** Only an agent of the person. Agents of others are as unknown as those that do not exist. */
export async function requireOwnAgent(db: Db, caller: Caller, agentId: AgentId): Promise<void> {
  const agent = await findAgent(db, agentId);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
}

export async function setLimit(
  tx: Tx,
  { spendLimits }: ConnectionsContext,
  id: Parameters<NonNullable<ConnectionsContext['spendLimits']>['setDailyLimit']>[1]['id'],
  limit: string | number | null,
): Promise<void> {
  const micros = limit === null ? null : parseUsd(limit);
  if (micros === undefined) throw new MarketError('invalid_input', { message: 'The limit per day must be an amount such as "25.00".' });
  if (spendLimits === undefined) {
    if (micros === null) return;
    throw new MarketError('unavailable', { message: 'Spending limits are not available here.' });
  }
  await spendLimits.setDailyLimit(tx, { kind: 'connection', id }, micros);
}
