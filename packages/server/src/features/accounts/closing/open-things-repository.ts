/** The SQL that finds what is still open, and what a closing ends. */
import { type AgentId, type OpenThingKind, openOrders, openThings } from '@market/contract';
import { sql } from 'kysely';
import { isHeldThere } from '../../../access/authority/buyer-wallet-repository.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type ClosingSubject, contractsOfPerson, principalsOf, userOf, walletOf } from './subject.ts';

export interface OpenThing {
  readonly kind: OpenThingKind;
  readonly id: string;
  readonly what: string;
  readonly next: string;
}

export interface EndingThing {
  readonly kind: 'agent' | 'connection' | 'linked_wallet' | 'session' | 'saved_search' | 'budget';
  readonly id: string;
  readonly what: string;
}

const MAX_LISTED = 200;

export function openThing(kind: OpenThingKind, id: string, what: string): OpenThing {
  return { kind, id, what, next: openThings[kind] };
}

function boughtBy(subject: ClosingSubject) {
  const [user, wallet, agents] = [userOf(subject), walletOf(subject), [...subject.agents]];
  return sql`(o.user_id = ${user} or (o.client_wallet = ${wallet} and o.user_id is null and ${isHeldThere(contractsOfPerson(subject), 'o')}) or o.client_agent_id = any(${agents}))`;
}

/** Open orders. The state of each decides the next step that it names. */
async function listOpenOrders(db: Db, subject: ClosingSubject): Promise<OpenThing[]> {
  const what = sql`'“' || o.service_title || '”, ' || replace(o.status, '_', ' ') as what`;
  const { rows } = await sql<{ side: 'bought' | 'sold'; id: string; what: string; status: keyof typeof openOrders }>`
    select 'bought' as side, o.id, ${what}, o.status from orders o where o.status not in ('completed', 'cancelled') and ${boughtBy(subject)}
    union all
    select 'sold', o.id, ${what}, o.status from orders o where o.status not in ('completed', 'cancelled') and o.provider_agent_id = any(${[...subject.agents]})
    limit ${MAX_LISTED}`.execute(db);
  return rows.map(({ side, id, what, status }) => ({ kind: `order_${side}`, id, what, next: openOrders[status][side] }));
}

/** Everything that must end before a closing, by kind. Balances on chains are read by `listBalances`. */
export async function listOpenThings(db: Db, subject: ClosingSubject): Promise<OpenThing[]> {
  const orders = await listOpenOrders(db, subject);
  return [...orders, ...(await listFurtherThings(db, subject))].slice(0, MAX_LISTED);
}

async function listFurtherThings(db: Db, subject: ClosingSubject): Promise<OpenThing[]> {
  const [user, wallet, agents] = [userOf(subject), walletOf(subject), [...subject.agents]];
  const bought = boughtBy(subject);
  const owned = sql`((owner_kind = 'user' and owner_id = ${user}) or (owner_kind = 'wallet' and owner_id = ${wallet}) or (owner_kind = 'agent' and owner_id = any(${agents})))`;
  const usdc = (column: string) => sql`trim_scale(round(${sql.ref(column)} / 1000000.0, 6))::text || ' USDC'`;
  const { rows } = await sql<{ kind: OpenThingKind; id: string; what: string }>`
    select 'payout' as kind, p.id, p.purpose || ' of ' || ${usdc('p.amount_micros')} || ', ' || p.state as what from payouts p join orders o on o.id = p.subject_id
      where p.state not in ('confirmed', 'void') and case p.purpose when 'payout' then o.provider_agent_id = any(${agents}) else ${bought} end
    union all
    select 'payout', p.id, p.purpose || ' of ' || ${usdc('p.amount_micros')} || ', ' || p.state from payouts p
      where p.state not in ('confirmed', 'void') and p.subject_id = any(${agents})
    union all
    select 'payment', x.subject_id, ${usdc('x.amount_micros')} || ' for “' || coalesce(x.request->'service'->>'title', 'a registration') || '”' from x402_payments x
      where x.state in ('settling', 'unknown') and (x.payer = ${wallet} or x.request->'service'->>'agentId' = any(${agents}) or x.request->>'client_agent_id' = any(${agents}))
    union all
    select 'owed', a.owner, ${usdc('a.balance_micros')} || ' on ' || a.network from ledger_accounts a
      where a.kind = 'agent_payable' and a.owner = any(${agents}) and a.balance_micros <> 0
    union all
    select 'bounty', b.id, '“' || b.title || '”, ' || b.status from bounties b
      where b.status in ('open', 'claimed', 'disputed') and (b.user_id = ${user} or (b.client_wallet = ${wallet} and b.user_id is null))
    union all
    select 'claim', c.id, 'a claim on “' || b.title || '”' from bounty_claims c join bounties b on b.id = c.bounty_id
      where c.agent_id = any(${agents}) and c.status in ('pending', 'invited') and b.status = 'open'
    union all
    select 'stake', s.id, ${usdc('s.amount_micros')} from bounty_stakes s join bounty_claims c on c.id = s.claim_id
      where c.agent_id = any(${agents}) and s.status = 'held'
    union all
    select 'earn_position', vault_key, ${usdc('principal_micros')} || ' deposited' from earn_positions where shares > 0 and ${owned}
    union all
    select 'earn_deposit', id, ${usdc('amount_micros')} || ', ' || status from earn_deposits where status in ('received', 'deploying', 'refunding', 'held') and ${owned}
    union all
    select 'earn_deposit', movement_id, ${usdc('amount_micros')} || ', on its way from the wallet' from earn_agent_deposits
      where state = 'open' and agent_id = any(${agents})
    union all
    select 'earn_withdrawal', id, 'a withdrawal from ' || vault_key || ', ' || status from earn_withdrawals where status <> 'settled' and ${owned}
    union all
    select 'wallet_movement', id, purpose || ', ' || state from wallet_movements where agent_id = any(${agents}) and state not in ('confirmed', 'failed')
    union all
    select 'creator_fees', s.mint, least(sum(s.lamports), max(a.balance_micros)) || ' lamports' from (
        select agent_id, mint, agent_lamports as lamports from creator_fee_receipts where agent_id = any(${agents})
        union all
        select agent_id, mint, -lamports from creator_fee_payouts where share = 'agent' and agent_id = any(${agents}) and state <> 'failed') s
      join ledger_accounts a on a.kind = 'creator_fee_agent' and a.owner = s.mint and a.balance_micros > 0
      group by s.agent_id, s.mint having sum(s.lamports) > 0
    union all
    select 'creator_fees', id, lamports || ' lamports, ' || state from creator_fee_payouts where agent_id = any(${agents}) and state not in ('confirmed', 'failed')
    union all
    select 'swap', id, 'a swap, ' || state from swap_orders where user_id = ${user} and state = 'executing'
    union all
    select 'move', id, summary from delayed_moves where state in ('waiting', 'ready') and kind not in ('account_closing', 'agent_closing')
      and (owner = any(${principalsOf({ ...subject, agents: [] })}) or agent_id = any(${agents}))
    union all
    select 'payout_change', id, name from agents where id = any(${agents}) and pending_payout_at is not null
    union all
    select 'agent', id, name from agents where closed_at is null and not id = any(${agents}) and (owner_user_id = ${user} or owner_wallet = ${wallet})
    limit ${MAX_LISTED}`.execute(db);
  return rows.map(({ kind, id, what }) => openThing(kind, id, what));
}

/** Everything that ends with a closing. */
export async function listEndingThings(db: Db, subject: ClosingSubject): Promise<EndingThing[]> {
  const [user, wallet] = [userOf(subject), walletOf(subject)];
  const people = principalsOf({ ...subject, agents: [] });
  const { rows } = await sql<EndingThing>`
    select 'agent' as kind, id, name as what from agents where id = any(${[...subject.agents]})
    union all
    select 'connection', id, client_name from connections where revoked_at is null and (person = any(${people}) or agent_id = any(${[...subject.agents]}))
    union all
    select 'linked_wallet', id, address from user_wallets where user_id = ${user}
    union all
    select 'session', 'wallet', 'until ' || to_char(expires_at at time zone 'utc', 'YYYY-MM-DD HH24:MI') from sessions where wallet = ${wallet} and expires_at > market_now()
    union all
    select 'saved_search', id, name from saved_searches where owner = any(${people})
    union all
    select 'budget', id, coalesce(label, '') from spend_budgets where owner = any(${people}) and closed_at is null
    limit ${MAX_LISTED}`.execute(db);
  return rows;
}

interface ClosingRule {
  readonly now: Date;
  /** An owner attached after a restore counts only after this time, as for moves. */
  readonly payoutChangeDelaySeconds: number;
}

/**
 * Agents that close together with their owner, by the rule of moves. An account alone cannot close an agent that a wallet also owns. Nobody
 * can close an agent in conflict, stopped by an operator, or with an owner since a restore. Such agents stay open and refuse the closing.
 */
export async function listClosableAgents(
  db: Db,
  person: NonNullable<ClosingSubject['person']>,
  { now, payoutChangeDelaySeconds: delay }: ClosingRule,
): Promise<AgentId[]> {
  const settledBefore = new Date(now.getTime() - delay * 1000);
  const open = db
    .selectFrom('agents')
    .select('id')
    .where('closedAt', 'is', null)
    .where('ownerConflict', '=', false)
    .where('moderationStatus', '<>', 'spam')
    .where((row) => row.or([row('ownedSinceRestore', 'is', null), row('ownedSinceRestore', '<=', settledBefore)]));
  const owned =
    'userId' in person
      ? open.where('ownerUserId', '=', person.userId).where('ownerWallet', 'is', null)
      : open.where('ownerWallet', '=', person.wallet);
  return (await owned.orderBy('id').execute()).map(({ id }) => id);
}

/** Open agents that the account or the wallet itself owns. */
export async function listOwnAgents(db: Db, person: NonNullable<ClosingSubject['person']>): Promise<AgentId[]> {
  const open = db.selectFrom('agents').select('id').where('closedAt', 'is', null);
  const owned = 'userId' in person ? open.where('ownerUserId', '=', person.userId) : open.where('ownerWallet', '=', person.wallet);
  return (await owned.orderBy('id').execute()).map(({ id }) => id);
}

/** The lock serialises closings with orders that are placed at the same moment. */
export async function lockAgents(db: Db, ids: readonly AgentId[]): Promise<void> {
  if (ids.length > 0) await sql`select id from agents where id = any(${[...ids]}) order by id for update`.execute(db);
}

/** Connections that end: the person's own, and those that act as one of the agents. */
export async function listOpenConnections(db: Db, subject: ClosingSubject): Promise<string[]> {
  const rows = await db
    .selectFrom('connections')
    .select('id')
    .where('revokedAt', 'is', null)
    .where((row) =>
      row.or([
        row('person', '=', sql<string>`any(${principalsOf({ ...subject, agents: [] })})`),
        row('agentId', '=', sql<AgentId>`any(${[...subject.agents]})`),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}
