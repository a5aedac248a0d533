/** The SQL of an export: one query per section, as JSON text of its rows. */
import type { ExportSection } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import { isHeldThere } from '../../../access/authority/buyer-wallet-repository.ts';
import type { ContractWallets } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';

export interface ExportOwner {
  readonly userId: string | null;
  /** The account's linked wallets, or the wallet itself. */
  readonly wallets: readonly string[];
  readonly contracts: ContractWallets;
  readonly agents: readonly string[];
}

export interface ExportPage {
  readonly limit: number;
  readonly offset: number;
}

export async function readSection(
  db: Db,
  section: ExportSection,
  owner: ExportOwner,
  { limit, offset }: ExportPage,
): Promise<{ rows: Record<string, unknown>[]; total: number }> {
  const query = queries[section](owner);
  const { rows } = await sql<{
    record: string;
  }>`select row_to_json(s)::text as record from (${query}) s limit ${limit} offset ${offset}`.execute(db);
  const counted = await sql<{ total: number }>`select count(*)::int as total from (${query}) s`.execute(db);
  return { rows: rows.map(({ record }) => JSON.parse(record) as Record<string, unknown>), total: counted.rows[0]?.total ?? 0 };
}

const usd = (column: string) => sql`trim_scale(round(${sql.ref(column)} / 1000000.0, 6))::text`;
const at = (column: string) => sql`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`;
const any = (values: readonly string[]) => sql`any(${[...values]}::text[])`;
const people = ({ userId, wallets }: ExportOwner) =>
  any([...(userId === null ? [] : [`user:${userId}`]), ...wallets.map((wallet) => `wallet:${wallet}`)]);
const bought = ({ userId, wallets, contracts, agents }: ExportOwner) =>
  sql`(o.user_id = ${userId} or (o.client_wallet = ${any(wallets)} and ${isHeldThere(contracts, 'o')}) or o.client_agent_id = ${any(agents)})`;
const earned = ({ userId, wallets, agents }: ExportOwner) =>
  sql`((owner_kind = 'user' and owner_id = ${userId}) or (owner_kind = 'wallet' and owner_id = ${any(wallets)}) or (owner_kind = 'agent' and owner_id = ${any(agents)}))`;
/** Same rule as `isWithheld`: the payment is contestable, or its payer took it back. */
const withheld = sql`(exists (select 1 from payment_claims c where c.subject_id = o.id and c.contestable_until > market_now())
  or (o.kind = 'machine' and o.status = 'cancelled' and o.payment_reference is null))`;
const orderFields = sql`o.id, o.kind, o.status, o.service_title, o.category, o.price_type, o.brief, ${usd('o.price_micros')} as price_usd, ${usd('o.fee_micros')} as fee_usd,
  ${usd('o.paid_micros')} as paid_usd, o.payment_network, o.payment_reference, o.provider_agent_id, o.client_agent_id, o.client_wallet, ${at('o.created_at')} as created_at,
  ${at('o.paid_at')} as paid_at, ${at('o.completed_at')} as completed_at, ${at('o.cancelled_at')} as cancelled_at`;

const queries: Readonly<Record<ExportSection, (owner: ExportOwner) => RawBuilder<unknown>>> = {
  profile: ({ userId, wallets }) => sql`
    select 'account' as kind, u.id, u.username, u.display_name, u.provider_name, u.email, u.google_email, u.twitter_username, u.bio, u.avatar_url, u.provider_avatar_url,
      ${at('u.profile_saved_at')} as public_since, ${at('u.created_at')} as created_at from users u where u.id = ${userId}
    union all select 'wallet', p.wallet, null, p.display_name, null, null, null, p.twitter_handle, p.bio, p.avatar_url, null, ${at('p.created_at')}, ${at('p.created_at')}
      from wallet_profiles p where p.wallet = ${any(wallets)}`,
  wallets: ({ userId, wallets }) => sql`
    select w.chain, w.address, w.is_primary, w.shown, w.proof, ${at('w.linked_at')} as linked_at from user_wallets w where w.user_id = ${userId}
    union all select case when a like '0x%' then 'base' else 'solana' end, a, true, true, 'signature', null from unnest(${[...wallets]}::text[]) a where ${userId}::text is null`,
  agents: ({ agents }) => sql`
    select a.id, a.slug, a.name, a.description, a.avatar_url, a.endpoint_url, a.capabilities, a.ai_models, a.owner_wallet, a.payout_wallet, a.payout_address_base, a.twitter_username,
      a.token_mint, a.active, ${at('a.created_at')} as created_at from agents a where a.id = ${any(agents)} order by a.created_at desc, a.id`,
  services: ({ agents }) => sql`
    select s.id, s.agent_id, s.category, s.title, s.description, ${usd('s.price_micros')} as price_usd, s.price_type, s.turnaround_hours, s.active, ${at('s.created_at')} as created_at
    from services s where s.agent_id = ${any(agents)} order by s.created_at desc, s.id`,
  orders_bought: (owner) => sql`select ${orderFields} from orders o where ${bought(owner)} order by o.created_at desc, o.id`,
  orders_sold: ({ agents }) =>
    sql`select ${orderFields} from orders o where o.provider_agent_id = ${any(agents)} order by o.created_at desc, o.id`,
  messages: (owner) => sql`
    select m.id, m.order_id, m.sender_type, m.sender_name, case when m.sender_type = 'agent' and not o.provider_agent_id = ${any(owner.agents)} and ${withheld} then '' else m.content end as content,
      ${at('m.created_at')} as created_at from order_messages m join orders o on o.id = m.order_id
    where (${bought(owner)} or o.provider_agent_id = ${any(owner.agents)}) order by m.created_at desc, m.id`,
  reviews_written: (owner) => sql`
    select r.id, r.order_id, r.agent_id, r.rating, r.comment, r.reviewer_name, ${at('r.created_at')} as created_at from reviews r join orders o on o.id = r.order_id
    where ${bought(owner)} order by r.created_at desc, r.id`,
  reviews_received: ({ agents }) => sql`
    select r.id, r.order_id, r.agent_id, r.rating, r.comment, r.reviewer_name, ${at('r.created_at')} as created_at from reviews r
    where r.agent_id = ${any(agents)} order by r.created_at desc, r.id`,
  deliverables: (owner) => sql`
    select d.id, d.order_id, d.round, d.prompt, d.url, d.content, d.status, ${at('d.created_at')} as created_at from deliverables d join orders o on o.id = d.order_id
    where o.provider_agent_id = ${any(owner.agents)} or (${bought(owner)} and o.status = 'completed' and not ${withheld}) order by d.created_at desc, d.id`,
  bounties: ({ userId, wallets }) => sql`
    select b.id, b.status, b.title, b.brief, b.category, ${usd('b.budget_micros')} as budget_usd, b.order_id, ${at('b.created_at')} as created_at from bounties b
    where b.user_id = ${userId} or b.client_wallet = ${any(wallets)} order by b.created_at desc, b.id`,
  claims: ({ agents }) => sql`
    select c.id, c.bounty_id, c.agent_id, c.status, c.message, ${at('c.claimed_at')} as claimed_at from bounty_claims c where c.agent_id = ${any(agents)} order by c.claimed_at desc, c.id`,
  payments: (owner) => sql`
    select c.subject_id, c.purpose, c.caip2, c.reference, c.payer, ${usd('c.amount_micros')} as amount_usd, ${at('c.claimed_at')} as claimed_at from payment_claims c
    where c.subject_id in (select o.id from orders o where ${bought(owner)}) or c.payer = ${any(owner.wallets)} order by c.claimed_at desc, c.reference`,
  payouts: (owner) => sql`
    select p.id, p.purpose, p.subject_id, p.network, p.destination, ${usd('p.amount_micros')} as amount_usd, p.state, p.reference, ${at('p.created_at')} as created_at from payouts p
    where p.subject_id in (select o.id from orders o where o.provider_agent_id = ${any(owner.agents)} or ${bought(owner)}) order by p.created_at desc, p.id`,
  statement: ({ agents }) => sql`
    select a.owner as agent_id, a.network, t.kind, t.subject_id, ${usd('e.amount_micros')} as amount_usd, ${at('t.posted_at')} as posted_at from ledger_entries e
    join ledger_accounts a on a.id = e.account_id join ledger_transfers t on t.id = e.transfer_id where a.kind = 'agent_payable' and a.owner = ${any(agents)} order by t.id desc`,
  earn_positions: (owner) => sql`
    select vault_key, owner_kind, owner_id, shares::text as shares, ${usd('principal_micros')} as deposited_usd, ${at('updated_at')} as updated_at from earn_positions where ${earned(owner)}`,
  earn_movements: (owner) => sql`
    select vault_key, owner_kind, owner_id, kind, ${usd('micros')} as amount_usd, ${at('at')} as at from earn_movements where ${earned(owner)} order by id desc`,
  connections: (owner) => sql`
    select c.id, c.client_name, c.client_uri, c.scopes, c.agent_id, ${at('c.created_at')} as created_at, ${at('c.revoked_at')} as revoked_at from connections c
    where c.person = ${people(owner)} order by c.created_at desc, c.id`,
  saved_searches: (owner) => sql`
    select s.id, s.list, s.name, s.filters, ${at('s.created_at')} as created_at from saved_searches s where s.owner = ${people(owner)} order by s.created_at desc, s.id`,
  spending: (owner) => sql`
    select s.id, s.operation, s.about, ${usd('s.amount_micros')} as amount_usd, s.status, s.sentence, s.bought_id, ${at('s.created_at')} as created_at from spendings s
    where s.principal = ${people(owner)} or s.principal = ${any(owner.agents.map((id) => `agent:${id}`))} order by s.created_at desc, s.id`,
  notifications: ({ userId, wallets, agents }) => sql`
    select n.id, n.type, n.title, n.body, n.order_id, ${at('n.created_at')} as created_at, ${at('n.read_at')} as read_at from notifications n
    where n.user_id = ${userId} or n.wallet = ${any(wallets)} or n.agent_id = ${any(agents)} order by n.event_id desc, n.id`,
  files: ({ userId, wallets, agents }) => sql`
    select u.id, u.file_name, u.content_type, u.size_bytes, u.sha256, u.purpose, ${at('u.created_at')} as created_at from uploads u
    where u.state = 'ready' and (u.user_id = ${userId} or u.wallet = ${any(wallets)} or u.agent_id = ${any(agents)}) order by u.created_at desc, u.id`,
};
