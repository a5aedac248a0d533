/** Removes scopes of a connected program, or changes its agent or limit. */
import { type AgentId, MarketError, parseUsd } from '@market/contract';
import { grantersOf, spendGrant } from '../../../../access/authority/owners.ts';
import type { Call, HandlersOf } from '../../../../access/call.ts';
import type { Caller } from '../../../../access/caller.ts';
import { isOwner } from '../../../../access/ownership.ts';
import type { Db, Tx } from '../../../../platform/db/database.ts';
import { findAgent } from '../../../agents/index.ts';
import type { ConnectionsContext } from '../connections-context.ts';
import { peopleOf } from '../people.ts';
import { presentConnections } from '../present.ts';
import { findConnection, findLive, lockConnection, updateConnection } from '../repository.ts';
import { identityOf } from '../resolve-connection.ts';

export function changeConnection(context: ConnectionsContext): HandlersOf<'connections'>['update'] {
  return async ({ id, scopes, agent_id: agentId, daily_limit_usd: limit }, call) =>
    await call.commit(async (tx) => {
      const people = peopleOf(call.caller);
      const held = await lockConnection(tx, id, people);
      if (held === undefined) throw new MarketError('connection_not_found');
      await requirePerson(tx, call, held.person);
      if (scopes?.some((scope) => !held.scopes.includes(scope))) throw new MarketError('scope_not_granted');
      if (agentId !== undefined && agentId !== null) await requireOwnAgent(tx, await requireIdentity(tx, held.id), agentId);
      if (scopes !== undefined || agentId !== undefined) {
        await updateConnection(tx, held.id, {
          ...(scopes !== undefined && { scopes: held.scopes.filter((scope) => (scopes as readonly string[]).includes(scope)) }),
          ...(agentId !== undefined && { agentId }),
        });
      }
      if (limit !== undefined) await setLimit(tx, context, held.programId, limit);
      const changed = await findConnection(tx, held.id, people);
      const [data] = changed === undefined ? [] : await presentConnections(tx, context, [changed]);
      if (data === undefined) throw new MarketError('connection_not_found');
      return { data };
    });
}

/** Only the account or wallet that connected the program may change the connection. A linked account may see and disconnect it. */
async function requirePerson(tx: Tx, call: Call, person: string): Promise<void> {
  if (!grantersOf(call.caller).some((one) => one === person)) {
    const wallet = person.startsWith('wallet:') ? { data: { wallet: person.slice('wallet:'.length) } } : {};
    throw new MarketError('owner_proof_required', {
      message: 'Another account or wallet of yours connected this program. Sign in with it.',
      ...wallet,
    });
  }
  await spendGrant(tx, call);
}

/** The person of the connection. The caller may be another identity of that person, with agents that the connection cannot use. */
async function requireIdentity(tx: Tx, id: string): Promise<Caller> {
  const live = await findLive(tx, id);
  if (live === undefined) throw new MarketError('connection_not_found');
  return { ...identityOf(live), byCookieOnly: false };
}

/** Requires an active agent of the person: the connection could not use another. */
export async function requireOwnAgent(db: Db, person: Caller, agentId: AgentId): Promise<void> {
  const agent = await findAgent(db, agentId);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(person, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
  if (!agent.active) throw new MarketError('agent_deactivated', { message: `The agent ${agent.name} is deactivated. Choose another.` });
}

export async function setLimit(
  tx: Tx,
  { spendLimits }: ConnectionsContext,
  programId: string,
  limit: string | number | null,
): Promise<void> {
  const micros = limit === null ? null : parseUsd(limit);
  if (micros === undefined) throw new MarketError('invalid_input', { message: 'The limit per day must be an amount such as "25.00".' });
  if (spendLimits === undefined) {
    if (micros === null) return;
    throw new MarketError('unavailable', { message: 'Spending limits are not available here.' });
  }
  await spendLimits.setDailyLimit(tx, programId, micros);
}
