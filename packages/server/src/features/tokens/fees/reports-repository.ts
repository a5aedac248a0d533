/** The SQL of reports on creator fees: totals, tokens, agents and history. */
import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';
import { owedTo } from './repository.ts';

export interface FeeTotals {
  readonly earned: bigint;
  readonly paidOut: bigint;
  readonly agents: bigint;
  readonly partner: bigint;
  readonly buyback: bigint;
  readonly float: bigint;
}

export async function readFeeTotals(db: Db): Promise<FeeTotals> {
  const owed = (kind: string) => sql`(select coalesce(sum(balance_micros), 0)::bigint from ledger_accounts where kind = ${sql.lit(kind)})`;
  const { rows } = await sql<FeeTotals>`
    select (select coalesce(sum(lamports), 0)::bigint from creator_fee_receipts where mint is not null) as earned,
           (select coalesce(sum(lamports), 0)::bigint from creator_fee_payouts where state = 'confirmed') as paid_out,
           ${owed('creator_fee_agent')} as agents, ${owed('creator_fee_partner')} as partner,
           ${owed('creator_fee_buyback')} as buyback, ${owed('creator_fee_float')} as float`.execute(db);
  const [totals] = rows;
  if (totals === undefined) throw new Error('an aggregate has one row');
  return totals;
}

export interface TokenFees {
  readonly mint: string;
  readonly agentId: AgentId;
  readonly distributable: bigint;
}

/** Every token that ever earned, the largest share first. */
export async function listTokenFees(db: Db, limit: number): Promise<readonly TokenFees[]> {
  const { rows } = await sql<TokenFees>`
    select r.mint, max(r.agent_id) as agent_id,
           coalesce((select a.balance_micros from ledger_accounts a where a.kind = 'creator_fee_agent' and a.owner = r.mint), 0)::bigint as distributable
    from creator_fee_receipts r where r.mint is not null group by r.mint order by 3 desc, 1 limit ${limit}`.execute(db);
  return rows;
}

export interface AgentFees {
  readonly earned: bigint;
  /** Payouts on their way or paid. */
  readonly sent: bigint;
  readonly paid: bigint;
  /** Claimable from `mint`, the agent's token that holds most. Never what the token earned for another agent. */
  readonly claimable: bigint;
  readonly mint: string | null;
}

export async function readAgentFees(db: Db, agentId: AgentId): Promise<AgentFees> {
  const { rows } = await sql<AgentFees>`
    with best as (
      select r.mint, greatest(0, least(coalesce(max(a.balance_micros), 0), ${owedTo({ agentId, mint: sql`r.mint` })}))::bigint as claimable
      from creator_fee_receipts r left join ledger_accounts a on a.kind = 'creator_fee_agent' and a.owner = r.mint
      where r.agent_id = ${agentId} group by r.mint order by 2 desc, 1 limit 1)
    select (select coalesce(sum(agent_lamports), 0)::bigint from creator_fee_receipts where agent_id = ${agentId}) as earned,
           coalesce(sum(p.lamports) filter (where p.state <> 'failed'), 0)::bigint as sent,
           coalesce(sum(p.lamports) filter (where p.state = 'confirmed'), 0)::bigint as paid,
           coalesce((select claimable from best), 0)::bigint as claimable, (select mint from best) as mint
    from creator_fee_payouts p where p.agent_id = ${agentId}`.execute(db);
  const [fees] = rows;
  if (fees === undefined) throw new Error('an aggregate has one row');
  return fees;
}

export interface FeeLine {
  readonly at: Date;
  readonly kind: 'receipt' | 'payout';
  readonly id: string;
  /** The part of the transaction, which may hold fees of several tokens; 0 for payouts. */
  readonly part: number;
  readonly txHash: string | null;
  readonly agentId: AgentId | null;
  readonly mint: string | null;
  readonly agent: bigint;
  readonly partner: bigint;
  readonly buyback: bigint;
  readonly float: bigint;
  readonly status: 'booked' | 'pending' | 'paid' | 'failed';
}

const keys: readonly SortKey<FeeLine>[] = [
  { column: sql`l.at`, type: 'timestamptz', of: (line) => line.at },
  { column: sql`l.key`, type: 'text', of: ({ id, part }) => (part === 0 ? id : `${id}_${part}`) },
];

const LINES = sql`(
  select booked_at as at, 'receipt' as kind, reference as id, part, case part when 0 then reference else reference || '_' || part end as key,
         reference as tx_hash, agent_id, mint, agent_lamports as agent, partner_lamports as partner,
         buyback_lamports as buyback, case when mint is null then lamports else 0 end as float, 'booked' as status
  from creator_fee_receipts
  union all
  select created_at, 'payout', id, 0, id, reference, agent_id, mint,
         case when share = 'agent' and state <> 'failed' then -lamports else 0 end, case when share = 'partner' and state <> 'failed' then -lamports else 0 end,
         case when share = 'buyback' and state <> 'failed' then -lamports else 0 end, -coalesce(network_fee_lamports, 0),
         case state when 'confirmed' then 'paid' when 'failed' then 'failed' else 'pending' end
  from creator_fee_payouts)`;

/** The id of a receipt is shown as the beginning of its transaction. */
const shownTexts = sql`case l.kind when 'receipt' then 'sweep_' || left(l.id, 16) || substr(l.key, length(l.id) + 1) else l.id end, l.tx_hash, l.agent_id, l.mint`;

export async function readFeeHistory(
  db: Db,
  filters: {
    readonly token_mint?: string | undefined;
    readonly q?: string | undefined;
    readonly limit: number;
    readonly offset: number;
    readonly cursor?: string | undefined;
  },
): Promise<{ readonly lines: readonly FeeLine[]; readonly total: number; readonly nextCursor: string | null }> {
  const ofToken = filters.token_mint === undefined ? sql<boolean>`true` : sql<boolean>`l.mint = ${filters.token_mint}`;
  const about = sql<boolean>`${ofToken} and ${holdsText(filters.q, shownTexts)}`;
  const beyond = filters.cursor === undefined ? sql<boolean>`true` : beyondCursor('creator-fees', keys, filters.cursor);
  const [{ rows }, counted] = await Promise.all([
    sql<FeeLine>`select l.* from ${LINES} l where ${about} and ${beyond} order by l.at desc, l.key desc
                 limit ${filters.limit + 1} offset ${filters.cursor === undefined ? filters.offset : 0}`.execute(db),
    sql<{ count: number }>`select count(*)::int as count from ${LINES} l where ${about}`.execute(db),
  ]);
  const { rows: lines, nextCursor } = cutPage(rows, filters.limit, 'creator-fees', keys);
  return { lines, nextCursor, total: counted.rows[0]?.count ?? 0 };
}
