/** Dependencies of this feature. */
import type { OperationAnswer, Operations, ServiceId } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';

type Reviews = OperationAnswer<Operations['services']['bySlug']>['data']['reviews'];

export interface ServicesContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  /** Reviews belong to orders; handed in by the composition root. */
  readonly reviewsOf: (serviceId: ServiceId) => Promise<Reviews>;
}
