/** The agents, connected programs and accounts of the caller. */
import { MarketError, type SpendSubject } from '@market/contract';
import { grantersOf, refuseConflict } from '../../access/authority/owners.ts';
import { type Caller, walletsOf } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import type { Db } from '../../platform/db/database.ts';
import { type AgentRow, findAgent, listOwnedAgents } from '../agents/index.ts';
import { findCreators } from './names-repository.ts';
import { readSubjects, type SubjectRow } from './policy-repository.ts';
import type { NamedSubject } from './present.ts';
import type { SpendingContext } from './spending-context.ts';
import { accountsOf, type Machine, machineOf } from './subjects.ts';

/** The subjects that the caller may see: an owner sees all their own, a machine those that limit its payments. */
export async function listOwnSubjects(context: SpendingContext, caller: Caller): Promise<NamedSubject[]> {
  const { db } = context.database;
  const machine = machineOf(caller);
  if (machine !== undefined) {
    // A machine sees its owner's accounts and its creators only where they have a policy.
    const shown = (await readSubjects(db, machine)).filter(
      ({ kind, policy, isCreator }) => policy !== null || (kind !== 'account' && !isCreator),
    );
    return shown.map((row) => ({ kind: row.kind, id: row.shownId ?? row.id, name: nameOf(caller, row), policyId: row.id }));
  }
  const people = accountsOf(caller);
  const owner = { ...(caller.user && { userId: caller.user.id }), wallets: walletsOf(caller) };
  const [agents, connections] = await Promise.all([listOwnedAgents(db, owner), context.connections.listOf(db, people)]);
  const creatorsOf = await nameCreators(db, agents);
  return [
    ...people.map((id) => ({ kind: 'account' as const, id, name: nameOfAccount(id) })),
    ...agents.map((agent) => ({ kind: 'agent' as const, id: agent.id, name: agent.name, limitedBy: creatorsOf(agent) })),
    ...connections.map(({ id, name, programId }) => ({ kind: 'connection' as const, id, name, policyId: programId })),
  ];
}

function nameOf({ agent, connection }: Caller, { kind, isCreator }: SubjectRow): string {
  if (isCreator) return kind === 'agent' ? 'The agent that registered this one' : 'The program that registered this agent';
  if (kind === 'agent') return agent?.name ?? '';
  return kind === 'connection' ? (connection?.clientName ?? '') : 'Your owner';
}

function nameOfAccount(id: string): string {
  return id.startsWith('user:') ? 'Your account' : 'Your wallet';
}

async function nameCreators(db: Db, agents: readonly AgentRow[]): Promise<(agent: AgentRow) => NonNullable<NamedSubject['limitedBy']>> {
  const creators = await findCreators(db, [...new Set(agents.flatMap(({ createdBy }) => createdBy))]);
  return ({ createdBy }) => creators.filter(({ entry }) => createdBy.includes(entry)).map(({ kind, id, name }) => ({ kind, id, name }));
}

/** A subject of the caller, and the identities that set its policy. */
export interface OwnSubject extends NamedSubject {
  readonly owners: readonly string[];
  /** Set if the subject is an agent. */
  readonly agent?: AgentRow;
}

/** The subject that the owner names, or 404: strangers do not learn what exists. Links and signatures are enough to see and to freeze it. */
export async function requireOwnSubject(context: SpendingContext, caller: Caller, { kind, id }: SpendSubject): Promise<OwnSubject> {
  const { db } = context.database;
  if (kind === 'account' && accountsOf(caller).includes(id)) return { kind, id, name: nameOfAccount(id), owners: [id] };
  if (kind === 'agent') {
    const agent = await findAgent(db, id);
    if (agent !== undefined && isOwner(caller, agent)) {
      const limitedBy = (await nameCreators(db, [agent]))(agent);
      const { ownerUserId: user, ownerWallet: wallet } = agent;
      const owners = [...(user === null ? [] : [`user:${user}`]), ...(wallet === null ? [] : [`wallet:${wallet}`])];
      return { kind, id: agent.id, name: agent.name, owners, agent, limitedBy };
    }
  }
  if (kind === 'connection') {
    const found = (await context.connections.listOf(db, accountsOf(caller))).find((one) => one.id === id);
    if (found !== undefined) return { kind, id, name: found.name, policyId: found.programId, owners: [found.person] };
  }
  throw new MarketError('spend_subject_not_found');
}

/** As `requireOwnSubject`, for decisions of the owner itself: not of a linked account. */
export async function requireGrantedSubject(context: SpendingContext, caller: Caller, subject: SpendSubject): Promise<OwnSubject> {
  const own = await requireOwnSubject(context, caller, subject);
  requireOwnerIn(caller, own.owners);
  if (own.agent !== undefined) refuseConflict(own.agent);
  return own;
}

export function requireOwnerIn(caller: Caller, owners: readonly string[]): void {
  if (grantersOf(caller).some((one) => owners.includes(one))) return;
  const wallet = owners.find((one) => one.startsWith('wallet:'))?.slice('wallet:'.length);
  throw new MarketError('owner_proof_required', {
    message: 'Only the account that owns this, or its owner wallet by session or custody signature, decides about its spending.',
    ...(wallet !== undefined && { data: { wallet } }),
  });
}

/** The machine that a dry run is about: the calling one, or one of the owner's. */
export async function requireMachine(context: SpendingContext, caller: Caller, named: SpendSubject | undefined): Promise<Machine> {
  const machine = machineOf(caller);
  if (machine !== undefined) return machine;
  if (named === undefined) throw new MarketError('invalid_input', { message: 'Send kind and id: who would pay?' });
  const { kind, id, policyId = id } = await requireOwnSubject(context, caller, named);
  return { principal: `${kind}:${id}`, subjects: [{ kind, id: policyId, shownId: id }] };
}

/** True if the policy of the agent, of its creator, or of an account of their owners is frozen. */
export async function isAgentFrozen(db: Db, agent: AgentRow): Promise<boolean> {
  const rows = await readSubjects(db, { subjects: [{ kind: 'agent', id: agent.id }] });
  return rows.some(({ policy }) => policy?.frozen === true);
}
