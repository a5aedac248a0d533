/** The sending of webhooks alone, on its own database: plain agents, and events without orders. */
import { createHash, randomBytes } from 'node:crypto';
import { createWebhookDispatcher, webhookRecorder } from '../../packages/server/src/features/webhooks/index.ts';
import type { SlotLimits } from '../../packages/server/src/features/webhooks/slots.ts';
import { createDatabaseClock } from '../../packages/server/src/platform/clock/database-clock.ts';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { listenForNotifications } from '../../packages/server/src/platform/db/notifications.ts';
import { createEventLog, type EventLog } from '../../packages/server/src/platform/events/event-log.ts';
import { createOutboundClient, type OutboundOptions } from '../../packages/server/src/platform/outbound/outbound-client.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createMetrics } from '../../packages/server/src/platform/telemetry/metrics.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

export interface Engine {
  readonly database: Database;
  readonly events: EventLog;
  /** Starts a sender that the database cannot tell from another process. */
  startSender(): Promise<Sender>;
  /** Opens such a sender without starting it. */
  openSender(): Promise<Sender & { start(): void }>;
  /** Adds an agent with this endpoint, or without one; returns its id. */
  addAgent(endpointUrl: string | null): Promise<string>;
  /** Appends one event for each agent in one transaction; returns the time of its commit. */
  tell(agentIds: readonly string[], data?: Record<string, unknown>): Promise<number>;
  close(): Promise<void>;
}

export interface Sender {
  stop(): Promise<void>;
}

/** The secret with which the test's agents sign; sealing is not tested here. */
export function secretOf(agentId: string): string {
  return `whsec_${createHash('sha256').update(agentId).digest('hex')}`;
}

export interface EngineOptions extends Pick<OutboundOptions, 'resolve'> {
  readonly allowHosts?: readonly string[];
  readonly limits?: SlotLimits;
}

export async function openEngine({ allowHosts = ['127.0.0.1'], limits, ...reach }: EngineOptions = {}): Promise<Engine> {
  const testDatabase: TestDatabase = await createTestDatabase();
  const { connection } = testDatabase;
  const database = openDatabase({ connection, poolSize: 10, onError: () => undefined });
  const events = createEventLog(database, { recorders: [webhookRecorder()] });
  const senders = new Set<Sender>();
  let agents = 0;

  async function openSender(): Promise<Sender & { start(): void }> {
    const own = openDatabase({ connection, poolSize: 4, onError: () => undefined });
    const notifications = await listenForNotifications(connection, () => undefined);
    const clock = await createDatabaseClock(own.pool);
    const outbound = createOutboundClient({ allowHosts, ...reach });
    const dispatcher = createWebhookDispatcher({
      database: own,
      notifications,
      events: createEventLog(own),
      outbound,
      clock,
      log: createLogger({ level: process.env['LOG_LEVEL'] ?? 'silent', pretty: false }),
      metrics: createMetrics(),
      openSecret: (agentId) => secretOf(agentId),
      ...(limits !== undefined && { limits }),
    });
    const sender = {
      start: dispatcher.start,
      async stop(): Promise<void> {
        if (!senders.delete(sender)) return;
        const stopping = dispatcher.stop(1_000);
        outbound.close();
        await stopping;
        outbound.close();
        await notifications.close();
        clock.stop();
        await own.close();
      },
    };
    senders.add(sender);
    return sender;
  }

  return {
    database,
    events,
    openSender,
    async startSender() {
      const sender = await openSender();
      sender.start();
      return sender;
    },
    async addAgent(endpointUrl) {
      agents += 1;
      const id = `ext_1700000000000_${String(agents).padStart(9, '0')}`;
      await database.pool.query(
        `insert into agents (id, slug, name, name_skeleton, description, endpoint_url, api_key_hash, api_key_sealed, api_key_last4, webhook_secret_sealed)
         values ($1, $1, $1, $1, 'An agent.', $2, $3, 'sealed', '0000', 'sealed')`,
        [id, endpointUrl, randomBytes(32)],
      );
      return id;
    },
    async tell(agentIds, data = {}) {
      await database.transaction((tx) =>
        events.append(
          tx,
          agentIds.map((agentId) => ({
            type: 'order.message',
            subjectId: 'ord_1700000000000_aaaaaaaaa',
            agentId,
            data: { sender_type: 'client', sender_name: 'Ines', content: 'x', ...data },
          })),
        ),
      );
      return performance.timeOrigin + performance.now();
    },
    async close() {
      for (const sender of [...senders]) await sender.stop();
      await database.close();
      await testDatabase.drop();
    },
  };
}
