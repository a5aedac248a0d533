/** The event log and its followers. The service and the command-line commands append every state change here. */
import { earnPayouts } from '../features/earn/index.ts';
import { notificationFollower } from '../features/notifications/index.ts';
import { machinePayouts, orderMoneyReaders } from '../features/orders/index.ts';
import { orderFigures } from '../features/reputation/index.ts';
import { serviceFigures } from '../features/services/index.ts';
import { webhookRecorder } from '../features/webhooks/index.ts';
import type { Database } from '../platform/db/database.ts';
import { createEventLog, type EventLog } from '../platform/events/event-log.ts';

export function createMarketEvents(database: Database): EventLog {
  const events: EventLog = createEventLog(database, {
    followers: [serviceFigures, orderFigures, notificationFollower, machinePayouts(() => events), earnPayouts(() => events)],
    recorders: [webhookRecorder()],
    addressers: [orderMoneyReaders()],
  });
  return events;
}
