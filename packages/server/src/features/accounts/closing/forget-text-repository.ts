/** Removes the text of a person or agent from orders, reviews, bounties, events and notifications. Amounts, states and dates stay. */
import { type RawBuilder, sql } from 'kysely';
import { isHeldThere } from '../../../access/authority/buyer-wallet-repository.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { forgetMatches, forgetMentions, noteFormerWords } from './forget-mentions-repository.ts';
import { FREE_TEXT_KEYS, REMOVED } from './neutral-words.ts';
import { type ClosingSubject, contractsOfPerson, principalsOf, userOf, walletOf } from './subject.ts';

interface Sides {
  readonly bought: RawBuilder<unknown>;
  readonly sold: RawBuilder<unknown>;
  readonly bounties: RawBuilder<unknown>;
}

/** Queries of ids. An order with account and wallet belongs to the account; one that a wallet paid for an agent belongs to the agent. */
function sidesOf(subject: ClosingSubject): Sides {
  const [user, wallet, agents] = [userOf(subject), walletOf(subject), [...subject.agents]];
  return {
    bought: sql`select o.id from orders o where o.user_id = ${user} or o.client_agent_id = any(${agents})
      or (o.client_wallet = ${wallet} and o.user_id is null and o.client_agent_id is null and ${isHeldThere(contractsOfPerson(subject), 'o')})`,
    sold: sql`select o.id from orders o where o.provider_agent_id = any(${agents})`,
    bounties: sql`select b.id from bounties b where b.user_id = ${user} or (b.client_wallet = ${wallet} and b.user_id is null)`,
  };
}

/** Call it before the account gets its new id: the events of its feed are found by the old id. */
export async function forgetText(tx: Tx, subject: ClosingSubject): Promise<void> {
  const sides = sidesOf(subject);
  await forgetEvents(tx, subject, sides);
  await forgetBuyer(tx, sides);
  await forgetSeller(tx, sides);
  await forgetBounties(tx, subject, sides);
  await forgetNotices(tx, subject, sides);
  await forgetOwnRecords(tx, subject);
}

/** Clears the text of events about the person or its agents. Events that the person merely reads keep theirs, because others rely on it. */
async function forgetEvents(tx: Tx, subject: ClosingSubject, { bought, sold, bounties }: Sides): Promise<void> {
  const [user, agents, principals] = [userOf(subject), [...subject.agents], principalsOf(subject)];
  // Keep the reason of a ruling: the operator wrote it.
  const keys = sql`case when e.type = 'order.dispute_ruled' then array_remove(${[...FREE_TEXT_KEYS]}::text[], 'reason') else ${[...FREE_TEXT_KEYS]}::text[] end`;
  const scrubbed = (column: string) => sql`without_person(${sql.ref(column)}, ${keys}, '{}')`;
  await sql`create temporary table closing_events on commit drop as
    select e.id from events e where e.agent_id = any(${agents})
    union select e.id from events e where e.subject_id in (select ${user}::text union all select unnest(${agents}::text[]) union all ${bought} union all ${sold} union all ${bounties}
      union all select c.id from connections c where c.person = any(${principals})
      union all select m.id from delayed_moves m where m.owner = any(${principals}) or m.agent_id = any(${agents})
      union all select a.id from spend_approvals a where a.principal = any(${principals}) union all select s.id from saved_searches s where s.owner = any(${principals}))`.execute(
    tx,
  );
  await noteFormerWords(tx);
  await forgetMatches(tx, agents, bounties);
  await sql`update events e set data = ${scrubbed('data')}, context = ${scrubbed('context')} from closing_events c where c.id = e.id`.execute(
    tx,
  );
  // The poster wrote the title of a bounty, so it goes; the title of a service stays with the order.
  await sql`update events e set data = without_person(data, '{service_title}', '{}'), context = without_person(context, '{service_title}', '{}')
    from orders o where o.id = e.subject_id and o.kind = 'bounty' and o.id in (${bought})`.execute(tx);
  await sql`update webhook_deliveries d set body = without_person(d.body::jsonb, ${[...FREE_TEXT_KEYS]}::text[], '{}')::text
    from closing_events c where c.id = d.event_id`.execute(tx);
  await sql`update x402_payments p set request = without_person(p.request, ${[...FREE_TEXT_KEYS]}::text[], '{}') where p.subject_id in (${bought})`.execute(
    tx,
  );
  // A paid registration stores, sealed, the caller's profile from the identity provider.
  await sql`update x402_payments p set request = '{}' where p.purpose = 'registration' and p.subject_id = any(${agents})`.execute(tx);
  for (const agent of agents) await forgetMentions(tx, agent);
}

async function forgetBuyer(tx: Tx, { bought }: Sides): Promise<void> {
  await sql`update orders set brief = ${REMOVED}, reference_urls = '{}', reference_images = '{}', requirement_answers = null,
    service_title = case when kind = 'bounty' then 'A bounty of a closed account' else service_title end where id in (${bought})`.execute(
    tx,
  );
  await sql`update deliverables set prompt = ${REMOVED} where prompt <> '' and order_id in (${bought})`.execute(tx);
  await sql`update order_messages set content = ${REMOVED}, sender_name = 'A closed account', sender_id = case when sender_id = sender_name then 'A closed account' else sender_id end
    where sender_type = 'client' and order_id in (${bought})`.execute(tx);
  await sql`update order_steps set note = ${REMOVED} where actor_role = 'buyer' and note is not null and order_id in (${bought})`.execute(
    tx,
  );
  await sql`update reviews set comment = null, reviewer_name = 'A closed account', reviewer_id = 'A closed account' where order_id in (${bought})`.execute(
    tx,
  );
  await sql`update disputes set reason = ${REMOVED} where opened_by = 'buyer' and order_id in (${bought})`.execute(tx);
  await forgetStatements(tx, 'buyer', bought);
  await sql`update onchain_feedback set file = '' where order_id in (${bought})`.execute(tx);
  await sql`update order_tokens set ended_at = market_now() where ended_at is null and order_id in (${bought})`.execute(tx);
  await sql`delete from upload_attachments a using uploads u where u.id = a.upload_id and u.purpose = 'brief_image' and a.subject_id in (${bought})`.execute(
    tx,
  );
}

async function forgetSeller(tx: Tx, { sold }: Sides): Promise<void> {
  await sql`update order_messages set content = ${REMOVED}, sender_name = 'Closed agent' where sender_type = 'agent' and order_id in (${sold})`.execute(
    tx,
  );
  await sql`update order_steps set note = ${REMOVED} where actor_role = 'provider' and note is not null and order_id in (${sold})`.execute(
    tx,
  );
  await forgetStatements(tx, 'provider', sold);
}

async function forgetStatements(tx: Tx, side: 'buyer' | 'provider', orders: RawBuilder<unknown>): Promise<void> {
  await sql`update dispute_statements s set statement = ${REMOVED}, evidence_urls = '{}' from disputes d
    where d.id = s.dispute_id and s.side = ${side} and d.order_id in (${orders})`.execute(tx);
}

async function forgetBounties(tx: Tx, { agents }: ClosingSubject, { bounties }: Sides): Promise<void> {
  await sql`delete from upload_attachments where subject_id in (${bounties})`.execute(tx);
  await sql`update bounties set title = 'A bounty of a closed account', brief = ${REMOVED}, reference_urls = '{}', reference_images = '{}' where id in (${bounties})`.execute(
    tx,
  );
  await sql`update bounty_claims set message = null where agent_id = any(${[...agents]})`.execute(tx);
}

/** Deletes the notifications of the closed side; those of the other side lose the text they quote. */
async function forgetNotices(tx: Tx, subject: ClosingSubject, { bought, sold }: Sides): Promise<void> {
  const [user, wallet] = [userOf(subject), walletOf(subject)];
  await sql`delete from notifications where (user_id = ${user} and wallet is null) or (wallet = ${wallet} and user_id is null) or agent_id = any(${[...subject.agents]})`.execute(
    tx,
  );
  // A row for both an account and a wallet stays for the one that is not closed.
  await sql`update notifications set user_id = null where user_id = ${user}`.execute(tx);
  await sql`update notifications set wallet = null where wallet = ${wallet}`.execute(tx);
  await sql`update notifications set title = 'About an order with a closed account', body = ${REMOVED}
    where order_id in (${bought}) or order_id in (${sold})`.execute(tx);
  await sql`update notifications n set title = 'About a closed account', body = ${REMOVED} from closing_events c where c.id = n.event_id and n.order_id is null`.execute(
    tx,
  );
}

/** Records that only the person uses: limits, searches, stored answers, files. */
async function forgetOwnRecords(tx: Tx, subject: ClosingSubject): Promise<void> {
  const principals = principalsOf(subject);
  const [user, wallet, agents] = [userOf(subject), walletOf(subject), [...subject.agents]];
  const programs = sql`select 'connection:' || c.id from connections c where c.person = any(${principals})`;
  await sql`delete from saved_searches where owner = any(${principals})`.execute(tx);
  await sql`update spendings set about = null, sentence = ${REMOVED} where principal = any(${principals}) or principal in (${programs})`.execute(
    tx,
  );
  await sql`update spend_approvals set about = null, sentence = ${REMOVED} where principal = any(${principals}) or principal in (${programs})`.execute(
    tx,
  );
  await sql`update spend_budgets set label = null, closed_at = coalesce(closed_at, market_now()) where owner = any(${principals})`.execute(
    tx,
  );
  await sql`update delayed_moves set summary = 'A move of a closed account.' where owner = any(${principals}) or agent_id = any(${agents})`.execute(
    tx,
  );
  // Keeps the key of this call, because its answer is stored at the end.
  await sql`delete from idempotency_keys where scope like any(${principals.map((principal) => `${principal.replace(/[\\%_]/g, '\\$&')} %`)}) and sealed_answer is not null`.execute(
    tx,
  );
  await sql`delete from sessions where wallet = ${wallet}`.execute(tx);
  await sql`delete from wallet_profiles where wallet = ${wallet}`.execute(tx);
  await sql`delete from upload_attachments where subject_id = any(${[...agents, ...(user === null ? [] : [`user:${user}`]), ...(wallet === null ? [] : [`wallet:${wallet}`])]})`.execute(
    tx,
  );
  // Files that are attached to something stay, under a neutral name. All other files are removed with their bytes.
  const held = sql`(u.user_id = ${user} or u.wallet = ${wallet} or u.agent_id = any(${agents}))`;
  await sql`update uploads u set attached = false, state = 'removing', file_name = 'removed' where ${held}
    and not exists (select 1 from upload_attachments a where a.upload_id = u.id)`.execute(tx);
  await sql`update uploads u set file_name = 'file' || coalesce(substring(u.file_name from '\\.[A-Za-z0-9]{1,8}$'), '') where ${held} and u.state <> 'removing'`.execute(
    tx,
  );
}
