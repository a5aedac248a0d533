/** Removes mentions of a closed person or agent from other people's events and notifications. */
import { SEARCH_MATCHED } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { CLOSED_AGENT, NAME_KEYS, REMOVED } from './neutral-words.ts';

/**
 * Other people's events name the agent, for example its claim on their bounty. Replaces the name only under keys that hold a name: an agent
 * may be called `provider` or like somebody's id.
 */
export async function forgetMentions(tx: Tx, agent: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from agents where id = ${agent}`.execute(tx);
  const name = rows[0]?.name;
  if (name === undefined) return;
  const renamed = (column: RawBuilder<unknown>) =>
    sql`without_name(${column}, ${[...NAME_KEYS]}::text[], to_jsonb(${name}::text), to_jsonb(${CLOSED_AGENT}::text))`;
  const mentions = sql`select r.event_id from event_readers r where r.reader = ${`agent:${agent}`}`;
  await sql`update events e set data = ${renamed(sql`e.data`)}, context = ${renamed(sql`e.context`)} where e.id in (${mentions})`.execute(
    tx,
  );
  await sql`update webhook_deliveries d set body = ${renamed(sql`d.body::jsonb`)}::text where d.event_id in (${mentions}) and strpos(d.body, ${name}) > 0`.execute(
    tx,
  );
  // Within a sentence, replace whole words only: a short name may be part of another word.
  const word = `(?<![[:alnum:]])${name.replace(/[^A-Za-z0-9 ]/g, '\\$&')}(?![[:alnum:]])`;
  await sql`update notifications n set title = regexp_replace(n.title, ${word}, ${CLOSED_AGENT}, 'g'), body = regexp_replace(n.body, ${word}, ${CLOSED_AGENT}, 'g')
    where n.event_id in (${mentions})`.execute(tx);
}

/** Read before the events lose their text. */
const formerTitles = sql`select e.data->>'title' from closing_events c join events e on e.id = c.id where e.data ? 'title'`;

/** Notifications of other people's saved searches quote titles of services and bounties, also former titles. */
export async function forgetMatches(tx: Tx, agents: readonly string[], bounties: RawBuilder<unknown>): Promise<void> {
  await sql`create temporary table closing_matches on commit drop as
    select e.id from events e where e.type = ${sql.lit(SEARCH_MATCHED)} and exists (
      select 1 from jsonb_array_elements_text(e.data->'titles') said(title) join (
        select s.title from services s where s.agent_id = any(${[...agents]}) union select b.title from bounties b where b.id in (${bounties})
        union ${formerTitles}) own using (title))`.execute(tx);
  await sql`update events e set data = e.data || '{"titles": []}' from closing_matches m where m.id = e.id`.execute(tx);
  await sql`update webhook_deliveries d set body = replace(d.body, (d.body::jsonb->'data'->'titles')::text, '[]') from closing_matches m
    where m.id = d.event_id`.execute(tx);
  await sql`update notifications n set body = ${REMOVED} from closing_matches m where m.id = n.event_id`.execute(tx);
}

/** Collects words of former titles and names, which are in the search vocabulary, too. `forgetWords` removes those that nobody else uses. */
export async function noteFormerWords(tx: Tx): Promise<void> {
  await sql`create temporary table closing_words on commit drop as
    select distinct word from closing_events c join events e on e.id = c.id cross join lateral jsonb_each_text(e.data) said(key, value)
      cross join lateral unnest(tsvector_to_array(to_tsvector('simple', spaced_words(said.value)))) word
    where e.type in ('service.created', 'service.updated', 'agent.registered', 'agent.updated') and said.key in ('title', 'name')`.execute(
    tx,
  );
}
