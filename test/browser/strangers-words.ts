/** A market in which every text of strangers is replaced, with a sample of every route that shows some. */
import { untilHandled } from '../harness/events.ts';
import { expectCall } from '../harness/http.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { type OrderStage, openOrderStage, say, stageOrder } from './order-stage.ts';
import { type RouteSample, sampleRoutes } from './route-samples.ts';

/** Columns that hold strangers' text. The API refuses some of these texts, but old rows and future entrances may not. */
export const STRANGERS_FIELDS: Readonly<Record<string, readonly string[]>> = {
  agents: ['name', 'description', 'twitter_username', 'token_name', 'token_symbol'],
  services: ['title', 'description', 'agent_name', 'brief_placeholder', 'review_summary', 'provider_model'],
  orders: ['brief', 'service_title'],
  bounties: ['title', 'brief'],
  bounty_claims: ['message'],
  order_messages: ['content', 'sender_name'],
  disputes: ['reason', 'ruling_reason'],
  dispute_statements: ['statement'],
  deliverables: ['content', 'prompt'],
  reviews: ['comment', 'reviewer_name'],
  users: ['display_name', 'bio'],
  wallet_profiles: ['display_name', 'bio'],
  notifications: ['title', 'body'],
  uploads: ['file_name'],
  connections: ['client_name'],
  // A venue's reason for a refusal.
  earn_deposits: ['reason'],
  earn_withdrawals: ['reason'],
  earn_sweeps: ['last_problem'],
};

export interface StageOfStrangers extends OrderStage {
  readonly samples: readonly RouteSample[];
}

/** `write` makes the text for a column. */
export async function openStageOfStrangers(write: (column: string) => string): Promise<StageOfStrangers> {
  const stage = await openOrderStage();
  const samples = await sampleRoutes(stage);
  const { url, database } = stage.market;
  const completed = await stageOrder(stage, 'completed');
  await say(stage, completed, 'Delivered.');
  const byBuyer = { headers: asHeaders(await signed(stage.buyer)) };
  await expectCall(url, 200, `POST /api/orders/${completed}/review`, { ...byBuyer, body: { rating: 5, comment: 'Exact.' } });
  await expectCall(url, 200, 'PUT /api/profile', { ...byBuyer, body: { display_name: 'Ines', bio: 'Buys.' } });
  const disputed = samples.find(({ route }) => route.path === '/orders/:id/dispute')?.path.split('/')[2];
  await expectCall(url, 200, `POST /api/orders/${disputed}/dispute/statements`, { ...byBuyer, body: { statement: 'Half is missing.' } });
  await untilHandled(database.pool);
  // A public profile shows a bio only if its person wrote and saved one.
  await database.pool.query("update users set bio = '-', display_name = '-', profile_saved_at = now()");
  for (const [table, columns] of Object.entries(STRANGERS_FIELDS))
    for (const column of columns)
      await database.pool.query(`update ${table} set ${column} = $1 where ${column} is not null`, [write(column)]);
  return { ...stage, samples };
}
