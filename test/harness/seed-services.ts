/** Fills a database with agents and services like those of a grown market: words, prices, orders and ratings unevenly spread. */
import type pg from 'pg';

const SERVICES_PER_AGENT = 10;

/** The number of words. The first is in most texts, each further one in fewer, down to a few in ten thousand. */
const VOCABULARY = 5_000;
/** Fewer phrases for small markets, where making them would take longer than making the services. */
const phrasesFor = (services: number): number => Math.min(20_000, Math.max(100, services));

/** A word in the name of the agent with this number only. */
export function agentWord(number: number): string {
  return `agent${number}x`;
}

/** The word of a frequency rank, 1 being the most frequent. */
export function vocabularyWord(rank: number): string {
  const syllables = [
    'ba',
    'de',
    'fi',
    'go',
    'hu',
    'ka',
    'le',
    'mi',
    'no',
    'pu',
    'ra',
    'se',
    'ti',
    'vo',
    'zu',
    'cha',
    'the',
    'sli',
    'bro',
    'dru',
  ];
  const at = (digit: number): string => syllables[Math.floor(rank / 20 ** digit) % 20] ?? '';
  return `${at(0)}${at(1)}${at(2)}`;
}

export async function seedServices(pool: pg.Pool, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set statement_timeout = 0; set synchronous_commit = off; set maintenance_work_mem = '512MB'; select setseed(0.5)`);
    await seedAgents(client, Math.ceil(count / SERVICES_PER_AGENT));
    await seedPhrases(client, phrasesFor(count));
    await withoutIndexes(client, () => insertServices(client, count));
    await client.query(
      `insert into search_words select distinct w from services s cross join lateral unnest(tsvector_to_array(s.search)) w
       where s.listed and is_search_word(w) on conflict do nothing`,
    );
    await client.query('vacuum (analyze) search_words');
    await client.query('vacuum (analyze) agents');
    await client.query('vacuum (analyze) services');
  } finally {
    // The session's settings must not reach the connection's next user.
    client.release(true);
  }
}

async function seedAgents(client: pg.PoolClient, count: number): Promise<void> {
  await client.query(
    `insert into agents (id, slug, name, name_skeleton, description, api_key_hash, api_key_sealed, api_key_last4, owner_wallet, active, moderation_status)
     select 'ext_1700000000000_' || lpad(n::text, 9, '0'), 'agent-' || n, 'agent' || n || 'x', 'agent' || n, 'Does honest work of kind ' || n,
            decode(md5(n::text), 'hex'), 'sealed', '0000', case when n % 20 <> 7 then 'wallet' || n end, n % 30 <> 11,
            case when n % 50 = 13 then 'review' else 'ok' end
     from generate_series(1, $1) n`,
    [count],
  );
  await client.query('insert into agent_figures (agent_id) select id from agents on conflict do nothing');
}

/** Texts are composed of these phrases, because picking each word anew takes minutes. */
async function seedPhrases(client: pg.PoolClient, phrases: number): Promise<void> {
  const words = Array.from({ length: VOCABULARY }, (_, index) => vocabularyWord(index + 1));
  await client.query('create temp table vocabulary as select rank, word from unnest($1::text[]) with ordinality as v (word, rank)', [
    words,
  ]);
  await client.query(`
    create temp table phrases as
    select number, string_agg(word, ' ') as phrase from (
      select number, 1 + floor(exp(random() * ln(${VOCABULARY - 1})))::int as rank
      from generate_series(0, ${phrases - 1}) number, generate_series(1, 5)) picked
    join vocabulary using (rank) group by number`);
  await client.query('analyze phrases');
}

async function insertServices(client: pg.PoolClient, count: number): Promise<void> {
  const pick = `floor(random() * ${phrasesFor(count)})::int`;
  await client.query('alter table services disable trigger services_fill_agent');
  await client.query(
    `insert into services (id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours, requirement_fields,
                           provider_model, active, moderation_status, total_orders, completed_orders, rating_sum, rating_count, completed_weight, rated_weight, rating_rank,
                           agent_name, agent_listed, created_at)
     select 'svc_1700000000000_' || lpad(n::text, 9, '0'), a.id, 'service-' || n,
            (array['coding', 'image_gen', 'seo', 'automation', 'video_gen', 'analytics', 'custom', 'trading', 'consulting', 'brand_content', 'ugc',
                   'influencer'])[1 + floor(12 * random() ^ 2.5)::int],
            t.phrase, d1.phrase || ', ' || d2.phrase || '. ' || d3.phrase || '.',
            greatest(10000, (exp(random() * 13 - 3) * 1000)::bigint * 1000),
            case when random() < 0.75 then 'fixed' when random() < 0.5 then 'quote' when random() < 0.5 then 'weekly' else 'monthly' end,
            (array[1, 4, 24, 48, 72, 168])[1 + floor(6 * random())::int], '[{"label": "Goal", "type": "text", "required": true}]',
            case when random() < 0.3 then 'model-' || floor(40 * random() ^ 3)::int end, random() > 0.03,
            case when random() < 0.01 then 'review' else 'ok' end,
            orders, orders, (orders / 2) * 4, orders / 2, orders * 1000, (orders / 2) * 1000,
            coalesce(reputation_score((orders / 2) * 1000, (orders / 2) * 750), 0), a.name, is_agent_listed(a),
            timestamptz '2026-01-01' + interval '1 second' * (n::bigint * 17 % 20000000)
     from (select n, ${pick} as p1, ${pick} as p2, ${pick} as p3, ${pick} as p4,
                  floor(exp(random() * 6) * random() ^ 4)::int as orders
           from generate_series(1, $1::int) n) rows
     join phrases t on t.number = p1 join phrases d1 on d1.number = p2 join phrases d2 on d2.number = p3
     join phrases d3 on d3.number = p4
     join agents a on a.id = 'ext_1700000000000_' || lpad((1 + n % $2::int)::text, 9, '0')`,
    [count, Math.ceil(count / SERVICES_PER_AGENT)],
  );
  await client.query('alter table services enable trigger services_fill_agent');
}

/** Creating an index over all rows takes a fraction of the time of updating it row by row. */
async function withoutIndexes(client: pg.PoolClient, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = 'services'::regclass and not indisunique`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await fill();
  for (const { definition } of rows) await client.query(definition);
}
