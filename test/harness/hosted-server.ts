/**
 * A server in the process of the test: the whole service, with its own settings, pools, jobs and port. A crash cuts it off: in the same
 * instant all its sockets close, no new one opens, and the code that reached the crash point goes no further. What others can see of it
 * is what kill -9 leaves. It starts in a tenth of a process's time; tests about processes, their signals or their clock start processes.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import net from 'node:net';
import { Agent } from 'undici';
import { readConfig } from '../../packages/server/src/config.ts';
import { dieAt, watchCrashPoints } from '../../packages/server/src/platform/crash-points.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { type Running, startService, stopService } from '../../packages/server/src/start-service.ts';
import type { ServerChild, ServerProcess, Settings } from './market.ts';

/** The server on whose behalf code runs: whatever starts in this context belongs to it. */
const current = new AsyncLocalStorage<HostedServer>();

const silent = createLogger({ level: 'silent', pretty: false });

class CutOff extends Error {}

class HostedServer extends EventEmitter {
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly pid: undefined;
  readonly stdout = null;
  readonly running: Running = {};
  readonly dispatcher = new Agent();
  lines = '';
  private readonly open = new Set<net.Socket | net.Server>();
  private readonly children = new Set<ChildProcess>();

  get hasEnded(): boolean {
    return this.exitCode !== null || this.signalCode !== null;
  }

  /** Notes a socket or a listening server as its own. False: the server is cut off and must not open any. */
  own(opened: net.Socket | net.Server): boolean {
    if (this.hasEnded) return false;
    this.open.add(opened);
    opened.once('close', () => this.open.delete(opened));
    return true;
  }

  note(line: string): void {
    this.lines += line;
  }

  /** A program that the server started ends with it, as it does when a pipe of its parent closes. */
  ownChild(child: ChildProcess): void {
    if (this.hasEnded) throw new CutOff('the server is cut off');
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
  }

  kill(signal: NodeJS.Signals | number = 'SIGTERM'): boolean {
    if (this.hasEnded) return false;
    if (signal === 'SIGKILL') this.cutOff();
    else if (signal === 'SIGTERM') void this.stop(0);
    else throw new Error(`${signal} needs a server process of its own`);
    return true;
  }

  cutOff(): void {
    if (this.hasEnded) return;
    this.signalCode = 'SIGKILL';
    for (const opened of this.open) {
      if (opened instanceof net.Server) opened.close();
      else opened.destroy();
    }
    for (const child of this.children) child.kill('SIGKILL');
    void this.dispatcher.destroy();
    // Ends its timers; everything that needs a socket fails.
    void current.run(this, () => stopService(this.running, silent)).catch(() => undefined);
    this.emit('exit', null, 'SIGKILL');
  }

  async stop(exitCode: number): Promise<void> {
    await current.run(this, () => stopService(this.running, silent));
    if (this.hasEnded) return;
    await this.dispatcher.destroy();
    this.exitCode = exitCode;
    this.emit('exit', exitCode, null);
  }
}

export async function startHostedServer(environment: Settings): Promise<ServerProcess> {
  watchContexts();
  const server = new HostedServer();
  const ended = new Promise<number | null>((resolve) => server.once('exit', (code) => resolve(code)));
  const start = async (): Promise<string> => {
    const config = readConfig({ environment, terminal: false });
    const log = createLogger(config.log, { write: (line) => server.note(line) });
    if (config.crashAt !== undefined) {
      crashPoints.set(
        server,
        dieAt(config.crashAt, () => {
          server.cutOff();
          throw new CutOff(`cut off at ${config.crashAt}`);
        }),
      );
    }
    try {
      const { app, baseUrl } = await startService(config, log, server.running, (error) => {
        log.fatal({ err: error }, 'the service cannot go on and ends');
        void server.stop(1);
      });
      if (config.runJobs) app.startDemo();
      return baseUrl;
    } catch (error) {
      log.fatal({ err: error }, 'the service could not start');
      await server.stop(1);
      throw error;
    }
  };
  // A start that waits for a socket of a server that was cut off may never settle, so the end counts, too.
  const starting = current.run(server, start);
  starting.catch(() => undefined);
  const url = await Promise.race([starting.catch(async () => await ended.then(failed)), ended.then(failed)]);
  function failed(code: number | null): never {
    throw new Error(`the server ended with ${code} before it was ready:\n${server.lines}`);
  }
  return {
    url,
    child: server as unknown as ServerChild,
    log: () => server.lines,
    async kill(signal) {
      server.kill(signal);
      return await ended;
    },
  };
}

const crashPoints = new WeakMap<HostedServer, (name: string) => void>();

let watching = false;

/** Follows which server opens which socket. Once per process. */
function watchContexts(): void {
  if (watching) return;
  watching = true;
  watchCrashPoints((name) => {
    const server = current.getStore();
    if (server !== undefined) crashPoints.get(server)?.(name);
  });
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...given: unknown[]) {
    const server = current.getStore();
    if (server !== undefined && !server.own(this)) {
      this.destroy(new CutOff('the server is cut off'));
      return this;
    }
    return Reflect.apply(connect, this, given);
  } as typeof connect;
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (this: net.Server, ...given: unknown[]) {
    const server = current.getStore();
    if (server !== undefined) {
      if (!server.own(this)) throw new CutOff('the server is cut off');
      this.on('connection', (socket: net.Socket) => {
        if (!server.own(socket)) socket.destroy();
      });
    }
    return Reflect.apply(listen, this, given);
  } as typeof listen;
  const children = ChildProcess.prototype as unknown as { spawn(this: ChildProcess, options: unknown): unknown };
  const { spawn } = children;
  children.spawn = function (options) {
    current.getStore()?.ownChild(this);
    return Reflect.apply(spawn, this, [options]);
  };
  // The connections of Node's own fetch are shared by the whole process, so each server has a pool of its own.
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const server = current.getStore();
    if (server === undefined) return await fetch(input, init);
    return await fetch(input, { ...init, dispatcher: server.dispatcher } as unknown as RequestInit);
  };
}
