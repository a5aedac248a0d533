// A process that repeatedly appends events for a few agents, and takes the other locks of such transactions in every order.
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { createEventLog, type NewEvent } from '../../packages/server/src/platform/events/event-log.ts';

const [connectionString = '', name = '', rounds = '0'] = process.argv.slice(2);
const database = openDatabase({ connection: { connectionString }, poolSize: 6, onError: () => undefined });
const log = createEventLog(database);

const AGENTS = ['a', 'b', 'c', 'd'] as const;
const pick = () => AGENTS[Math.floor(Math.random() * AGENTS.length)] ?? 'a';
const event = (round: number): NewEvent => ({
  type: 'test.happened',
  subjectId: `${name}-${round}`,
  agentId: pick(),
  readers: [`agent:${pick()}`, 'user:u'],
  data: { round },
});

async function appendOnce(round: number): Promise<void> {
  await database
    .transaction(async (tx) => {
      const lockBooks = () =>
        tx
          .updateTable('books' as never)
          .set({ touched: round } as never)
          .execute();
      if (round % 2 === 0) await lockBooks();
      await log.append(tx, [event(round)]);
      await log.append(tx, [event(round), event(round)]);
      if (round % 2 === 1) await lockBooks();
      if (round % 10 === 9) throw new Error('rolled back');
    })
    .catch((error: unknown) => {
      if (!(error instanceof Error) || error.message !== 'rolled back') throw error;
    });
}

let next = 0;
const work = async (): Promise<void> => {
  while (next < Number(rounds)) await appendOnce(next++);
};
await Promise.all(Array.from({ length: 6 }, work));
await database.close();
