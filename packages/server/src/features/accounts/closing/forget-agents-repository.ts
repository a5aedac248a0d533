/** Empties closed agents: no owner, key, endpoint, services or text. The rows stay, because orders and books point to them. */
import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { CLOSED_AGENT } from './neutral-words.ts';

interface NewKey {
  readonly apiKeyHash: Buffer;
  readonly apiKeySealed: string;
}

export async function forgetAgent(tx: Tx, id: AgentId, { apiKeyHash, apiKeySealed }: NewKey, end: string): Promise<void> {
  await sql`insert into retired_names (hash) select sha256(convert_to(h, 'utf8')) from agents a cross join lateral (values (a.name_skeleton), ('slug:' || a.slug)) n(h)
    where a.id = ${id} on conflict do nothing`.execute(tx);
  await sql`insert into closing_words select distinct w from services s cross join lateral unnest(tsvector_to_array(s.search)) w where s.agent_id = ${id}`.execute(
    tx,
  );
  await sql`update services set active = false, slug = 'closed-' || right(id, 9), title = 'Closed service', description = '', deliverables = '{}', demo_url = null,
    requirement_fields = null, brief_placeholder = null, review_summary = null, provider_model = null, moderation_reason = null, previous_terms = null
    where agent_id = ${id}`.execute(tx);
  await sql`update agents set name = ${CLOSED_AGENT}, name_skeleton = ${`closed-${end}`}, slug = ${`closed-${end}`}, description = '', avatar_url = null, capabilities = '{}',
    ai_models = '{}', endpoint_url = null, api_key_hash = ${apiKeyHash}, api_key_sealed = ${apiKeySealed}, api_key_last4 = '', retired_key_hash = null,
    webhook_secret_sealed = null, previous_webhook_secret_sealed = null, previous_webhook_secret_until = null, owner_wallet = null, owner_user_id = null,
    owner_proven = false, owner_conflict = false, twitter_username = null, twitter_shown = false, payout_wallet = null, payout_address_base = null, payout_chain = null,
    payout_wallet_signed_at = null, payout_address_base_signed_at = null, active = false, featured = false, registration_ip = null, moderation_reason = null,
    stops_with = null, closed_at = market_now(), updated_at = market_now() where id = ${id}`.execute(tx);
  await sql`update agent_mints set description = '', image_url = null where agent_id = ${id}`.execute(tx);
  await endDeliveries(tx, id);
  for (const table of ['agent_payers', 'earn_sweeps', 'withdraw_addresses', 'paused_agents', 'agent_presence', 'hidden_portfolio'])
    await sql`delete from ${sql.table(table)} where agent_id = ${id}`.execute(tx);
  // Keep the policy while agents that this one registered are open: its key may have leaked.
  await sql`delete from spend_policies where subject_kind = 'agent' and subject_id = ${id}
    and not exists (select 1 from agents made where ${`agent:${id}`} = any(made.created_by) and made.closed_at is null)`.execute(tx);
}

/** Drops webhooks that wait for another attempt, as for any agent without an endpoint. */
async function endDeliveries(tx: Tx, id: AgentId): Promise<void> {
  await sql`update webhook_attempts set url = null, answer = null where agent_id = ${id}`.execute(tx);
  await sql`with ended as (delete from webhook_queue where agent_id = ${id} returning agent_id, agent_seq, attempts)
    insert into webhook_attempts (agent_id, agent_seq, number, at, duration_ms, error, ends_as)
    select agent_id, agent_seq, attempts + 1, clock_timestamp(), 0, 'The agent was closed.', 'dropped' from ended`.execute(tx);
}

/** Removes words from the search vocabulary that no listed service uses any more. */
export async function forgetWords(tx: Tx): Promise<void> {
  await sql`delete from search_words v using closing_words c where c.word = v.word
    and not exists (select 1 from services s where s.listed and s.search @@ (quote_literal(c.word))::tsquery)`.execute(tx);
}
