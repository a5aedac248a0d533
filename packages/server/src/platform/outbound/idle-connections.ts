/**
 * Connections that wait for the next call to the same host. One is filed under its host and the addresses that were checked for
 * that host when it was dialled; it is handed out only to a call for which the same host has just been checked and still has these
 * addresses. So a kept connection can do nothing that a new one could not.
 */
import type { Connection } from './connection.ts';

/** Shorter than what common servers grant (5 s), so that hardly a call meets a connection that is being closed. */
const IDLE_MS = 4_000;
/** The other side's promise counts from when it sent its answer, which was earlier. */
const MARGIN_MS = 1_000;
const MOST_IDLE = 500;
const MOST_PER_HOST = 64;
const SWEEP_MS = 1_000;

export class IdleConnections {
  private readonly byPlace = new Map<string, Connection[]>();
  private count = 0;
  private sweeper: NodeJS.Timeout | undefined;

  take(place: string): Connection | undefined {
    const idle = this.byPlace.get(place);
    for (let connection = idle?.pop(); connection !== undefined; connection = idle?.pop()) {
      this.count -= 1;
      if (isUsable(connection)) return connection;
      connection.destroy();
    }
    return undefined;
  }

  keep(place: string, connection: Connection): void {
    const idle = this.byPlace.get(place) ?? [];
    if (!connection.isReusable || limitOf(connection) <= 0 || this.count >= MOST_IDLE || idle.length >= MOST_PER_HOST) {
      connection.destroy();
      return;
    }
    connection.rest();
    idle.push(connection);
    this.byPlace.set(place, idle);
    this.count += 1;
    this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  close(): void {
    for (const idle of this.byPlace.values()) for (const connection of idle) connection.destroy();
    this.sweep();
  }

  private sweep(): void {
    for (const [place, idle] of this.byPlace) {
      const fresh = idle.filter(isUsable);
      for (const connection of idle) if (!fresh.includes(connection)) connection.destroy();
      this.count -= idle.length - fresh.length;
      if (fresh.length === 0) this.byPlace.delete(place);
      else this.byPlace.set(place, fresh);
    }
    if (this.byPlace.size > 0) return;
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
