/** Two server processes over one database that are killed in turn and restarted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetLeases, hasEnded } from '../faults/crash-lab.ts';
import type { ServerProcess } from '../harness/market.ts';
import type { SharedMoney } from '../money/shared-money.ts';
import { startProcess } from './same-market.ts';

export interface DyingPair {
  /** A process that is probably alive. */
  url(): string;
  /** Runs `work` while processes are killed; afterwards both are alive. */
  storm<T>(work: () => Promise<T>): Promise<T>;
  /** How the processes died. */
  readonly deaths: readonly string[];
}

interface Options {
  readonly marks: readonly string[];
  readonly random: () => number;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The longest life of a process, unless it reaches its crash point before. */
const LIFE_MS = { least: 1_500, most: 4_000 };

export async function openDyingPair(shared: SharedMoney, { marks, random, settings = {} }: Options): Promise<DyingPair> {
  const deaths: string[] = [];
  const servers = await Promise.all([startProcess(shared, settings), startProcess(shared, settings)]);
  let turn = 0;
  let isStorming = false;

  async function bury(): Promise<void> {
    await forgetLeases(shared);
    await shared.database.pool.query('update idempotency_keys set lease_until = clock_timestamp() where sealed_answer is null');
  }

  async function replace(place: number, more: Readonly<Record<string, string>>): Promise<void> {
    const started = await startProcess(shared, { ...settings, ...more }).catch(() => undefined);
    // The process may reach its crash point before it is ready.
    if (started === undefined) {
      await bury();
      return await replace(place, {});
    }
    servers[place] = started;
  }

  /** Kills one at a time, so that one process always answers. */
  async function reap(): Promise<void> {
    const markOf = ['nothing', 'nothing'];
    for (let place = 0; isStorming; place = 1 - place) {
      const until = performance.now() + LIFE_MS.least + random() * (LIFE_MS.most - LIFE_MS.least);
      const isAlive = () => servers.every((server) => !hasEnded(server));
      while (isStorming && isAlive() && performance.now() < until) await sleep(50);
      if (!isStorming) return;
      const dead = servers.findIndex(hasEnded);
      const chosen = dead < 0 ? place : dead;
      deaths.push(dead < 0 ? 'at random' : `at ${markOf[dead]}`);
      await servers[chosen]?.kill('SIGKILL');
      await bury();
      const mark = marks[Math.floor(random() * marks.length)] ?? '';
      markOf[chosen] = mark;
      await replace(chosen, { CRASH_AT: `${mark}:${1 + Math.floor(random() * 3)}` });
    }
  }

  return {
    deaths,
    url() {
      turn += 1;
      const alive = servers.filter((server) => !hasEnded(server));
      return (alive[turn % alive.length] ?? (servers[0] as ServerProcess)).url;
    },
    async storm(work) {
      isStorming = true;
      const reaper = reap();
      try {
        return await work();
      } finally {
        isStorming = false;
        await reaper;
        await Promise.all(servers.map((server) => server.kill('SIGKILL')));
        await bury();
        await Promise.all([replace(0, {}), replace(1, {})]);
      }
    },
  };
}
