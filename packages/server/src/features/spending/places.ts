/** The agents, connected programs and accounts of the caller. */
import { MarketError, type SpendSubject, type SpendSubjectKind } from '@market/contract';
import { type Caller, walletsOf } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import type { Db } from '../../platform/db/database.ts';
import { type AgentRow, findAgent, listOwnedAgents } from '../agents/index.ts';
import { readSubjects } from './policy-repository.ts';
import type { NamedSubject } from './present.ts';
import type { SpendingContext } from './spending-context.ts';
import { accountsOf, type Machine, machineOf } from './subjects.ts';

/** What the caller may see: an owner everything of theirs, a machine what its own payments are held to. */
export async function listPlaces(context: SpendingContext, caller: Caller): Promise<NamedSubject[]> {
  const { db } = context.database;
  const machine = machineOf(caller);
  if (machine !== undefined) {
    // Of its owner a machine sees the accounts that limit it, and no other.
    const shown = (await readSubjects(db, machine)).filter(({ kind, policy }) => kind !== 'account' || policy !== null);
    return shown.map(({ kind, id }) => ({ kind, id, name: nameOf(caller, kind) }));
  }
  const people = accountsOf(caller);
  const owner = { ...(caller.user && { userId: caller.user.id }), wallets: walletsOf(caller) };
  const [agents, connections] = await Promise.all([listOwnedAgents(db, owner), context.connections.listOf(db, people)]);
  return [
    ...people.map((id) => ({ kind: 'account' as const, id, name: id.startsWith('user:') ? 'Your account' : 'Your wallet' })),
    ...agents.map(({ id, name }) => ({ kind: 'agent' as const, id, name })),
    ...connections.map(({ id, name }) => ({ kind: 'connection' as const, id, name })),
  ];
}

function nameOf({ agent, connection }: Caller, kind: SpendSubjectKind): string {
  if (kind === 'agent') return agent?.name ?? '';
  return kind === 'connection' ? (connection?.clientName ?? '') : 'Your owner';
}

/** The subject that the owner names, or 404: strangers do not learn what exists. */
export async function requirePlace(context: SpendingContext, caller: Caller, { kind, id }: SpendSubject): Promise<NamedSubject> {
  const { db } = context.database;
  if (kind === 'account' && accountsOf(caller).includes(id))
    return { kind, id, name: id.startsWith('user:') ? 'Your account' : 'Your wallet' };
  if (kind === 'agent') {
    const agent = await findAgent(db, id);
    if (agent !== undefined && isOwner(caller, agent)) return { kind, id: agent.id, name: agent.name };
  }
  if (kind === 'connection') {
    const found = (await context.connections.listOf(db, accountsOf(caller))).find((one) => one.id === id);
    if (found !== undefined) return { kind, ...found };
  }
  throw new MarketError('spend_subject_not_found');
}

/** The machine that a dry run is about: the calling one, or one of the owner's. */
export async function requireMachine(context: SpendingContext, caller: Caller, named: SpendSubject | undefined): Promise<Machine> {
  const machine = machineOf(caller);
  if (machine !== undefined) return machine;
  if (named === undefined) throw new MarketError('invalid_input', { message: 'Send kind and id: who would pay?' });
  const { kind, id } = await requirePlace(context, caller, named);
  const people = await peopleOf(context.database.db, caller, kind, id);
  return { principal: `${kind}:${id}`, subjects: [{ kind, id }], people };
}

async function peopleOf(db: Db, caller: Caller, kind: SpendSubjectKind, id: string): Promise<Machine['people']> {
  const agent = kind === 'agent' ? await findAgent(db, id) : undefined;
  if (agent === undefined) return { users: caller.user === undefined ? [] : [caller.user.id], wallets: walletsOf(caller) };
  return ownersOf(agent);
}

function ownersOf({ ownerProven, ownerWallet, ownerUserId }: AgentRow): Machine['people'] {
  const wallet = ownerProven ? ownerWallet : null;
  return { users: ownerUserId === null ? [] : [ownerUserId], wallets: wallet === null ? [] : [wallet] };
}

/** The policy of the agent, or of an account of its owner, is frozen. */
export async function isAgentFrozen(db: Db, agent: AgentRow): Promise<boolean> {
  const rows = await readSubjects(db, { subjects: [{ kind: 'agent', id: agent.id }], people: ownersOf(agent) });
  return rows.some(({ policy }) => policy?.frozen === true);
}
