/**
 * Connections that wait for the next call to the same host. Each is stored under its host and the addresses that were checked for that host
 * when it was dialled. Only a call whose host was just checked and still has these addresses gets it. So a kept connection can do nothing
 * that a new one could not.
 */
import type { Connection } from './connection.ts';

/** Shorter than the 5 s of common servers, so that few calls meet a connection that is being closed. */
const IDLE_MS = 4_000;
/** Safety margin, because the server's promise counts from when it sent its answer. */
const MARGIN_MS = 1_000;
const MOST_IDLE = 500;
const MOST_PER_HOST = 64;
const SWEEP_MS = 1_000;

export class IdleConnections {
  private readonly byKey = new Map<string, Connection[]>();
  private count = 0;
  private sweeper: NodeJS.Timeout | undefined;

  take(key: string): Connection | undefined {
    const idle = this.byKey.get(key);
    for (let connection = idle?.pop(); connection !== undefined; connection = idle?.pop()) {
      this.count -= 1;
      if (isUsable(connection)) return connection;
      connection.destroy();
    }
    return undefined;
  }

  keep(key: string, connection: Connection): void {
    const idle = this.byKey.get(key) ?? [];
    if (!connection.isReusable || limitOf(connection) <= 0 || this.count >= MOST_IDLE || idle.length >= MOST_PER_HOST) {
      connection.destroy();
      return;
    }
    connection.rest();
    idle.push(connection);
    this.byKey.set(key, idle);
    this.count += 1;
    this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  close(): void {
    for (const idle of this.byKey.values()) for (const connection of idle) connection.destroy();
    this.sweep();
  }

  private sweep(): void {
    for (const [key, idle] of this.byKey) {
      const fresh = idle.filter(isUsable);
      for (const connection of idle) if (!fresh.includes(connection)) connection.destroy();
      this.count -= idle.length - fresh.length;
      if (fresh.length === 0) this.byKey.delete(key);
      else this.byKey.set(key, fresh);
    }
    if (this.byKey.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }
}

function limitOf({ keptOpenMs }: Connection): number {
  return keptOpenMs === undefined ? IDLE_MS : Math.min(IDLE_MS, keptOpenMs - MARGIN_MS);
}

function isUsable(connection: Connection): boolean {
  return connection.isReusable && performance.now() - connection.idleSinceMs < limitOf(connection);
}
