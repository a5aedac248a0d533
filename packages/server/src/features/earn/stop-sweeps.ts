/** A backup brings back sweeps that their owners had stopped since. They move money by themselves, so all stop until their owner starts them again. */
import type { Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import { findAgentsById } from '../agents/index.ts';
import { appendOwnerEvent } from '../custody/index.ts';
import { stopAllSweeps } from './agent-deposit-repository.ts';

const STOPPED = 'The marketplace was restored from a backup. Turn the sweep on again if you still want it.';

/** How many. */
export async function endRestoredSweeps(tx: Tx, { events }: { readonly events: EventLog }): Promise<number> {
  const ids = await stopAllSweeps(tx, STOPPED);
  for (const agent of ids.length === 0 ? [] : await findAgentsById(tx, ids))
    await appendOwnerEvent(tx, { events }, agent, 'agent.sweep_stopped', {});
  return ids.length;
}
