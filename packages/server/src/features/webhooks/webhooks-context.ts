/** Dependencies of this feature. */
import type { AgentId } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { OwnedAgent } from '../../access/ownership.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Db, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';

/** The columns of an agent that concern its webhooks. */
export interface WebhookAgent extends OwnedAgent {
  readonly endpointUrl: string | null;
  readonly webhookSecretSealed: string | null;
  readonly previousWebhookSecretUntil: Date | null;
  readonly webhookExtendedRetries: boolean;
}

/** The agents as webhooks see them; the rows are handed back as they came. */
export interface WebhookAgents<A extends WebhookAgent> {
  find(db: Db, idOrSlug: string): Promise<A | undefined>;
  lock(tx: Tx, id: AgentId): Promise<A | undefined>;
  requireGranter(tx: Tx, agent: A, call: Call): Promise<unknown>;
  /** The former secret keeps signing until `previousUntil`; null ends it at once. */
  replaceSecret(tx: Tx, agent: A, previousUntil: Date | null): Promise<string>;
  setExtendedRetries(tx: Tx, agent: A, on: boolean): Promise<void>;
}

export interface WebhooksContext<A extends WebhookAgent = WebhookAgent> {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly agents: WebhookAgents<A>;
}
