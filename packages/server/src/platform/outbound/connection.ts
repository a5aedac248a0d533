/** One open connection to an untrusted server, and the calls on it, one after the other. */
import type { Socket } from 'node:net';
import { type AnswerHeaders, type AnswerLimits, Exchange, type WireAnswer, type WireRequest } from './exchange.ts';
import type { OutboundFault } from './outbound-fault.ts';

export interface CallOptions extends AnswerLimits {
  /** Another call may follow on the connection. */
  readonly keepAlive: boolean;
  /** Called when the status is known, before the body has arrived. */
  readonly onHead?: (() => void) | undefined;
}

export class Connection {
  /** When the connection became idle, by the monotonic clock. */
  idleSinceMs = 0;
  /** How long the server promises to keep an idle connection open; undefined if it states nothing. */
  keptOpenMs: number | undefined;

  private readonly socket: Socket;
  private exchange: Exchange | undefined;
  private reusable = true;
  private silent = true;

  constructor(socket: Socket) {
    this.socket = socket;
    // An idle connection must not keep the process alive; a running call has a deadline that does.
    socket.unref();
    socket.on('data', (bytes) => this.receive(bytes));
    // Node adds a listener only during calls, and an unhandled error event would end the process.
    socket.on('error', () => this.destroy());
    socket.on('end', () => this.destroyWhenIdle());
    socket.on('close', () => this.destroyWhenIdle());
  }

  /** True if the last answer had a clear end and no bytes followed. */
  get isReusable(): boolean {
    return this.reusable && this.exchange === undefined && !this.socket.destroyed;
  }

  /** True if no byte has come since the last call began. */
  get isSilent(): boolean {
    return this.silent;
  }

  call(request: WireRequest, { keepAlive, onHead, ...limits }: CallOptions): Promise<WireAnswer> {
    this.silent = true;
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(limits, {
        onHead: () => onHead?.(),
        onAnswer: (answer, reusable) => {
          this.exchange = undefined;
          this.reusable &&= reusable;
          this.keptOpenMs = promisedMs(answer.headers);
          if (!reusable) this.destroy();
          resolve(answer);
        },
        onFault: (fault) => {
          this.exchange = undefined;
          this.destroy();
          reject(fault);
        },
      });
      this.exchange = exchange;
      // Calls started in one turn of the event loop are sent together: waking the other side for each one takes twice the time.
      setImmediate(() => exchange.start(this.socket, request, keepAlive));
    });
  }

  /** Status of the current call, if it has arrived. */
  get status(): number | undefined {
    return this.exchange?.status;
  }

  /** Ends the current call with this fault. */
  abort(fault: OutboundFault): void {
    this.exchange?.fail(fault);
    this.destroy();
  }

  destroy(): void {
    this.reusable = false;
    this.socket.destroy();
  }

  rest(): void {
    this.idleSinceMs = performance.now();
  }

  private receive(bytes: Buffer): void {
    this.silent = false;
    // The server sent bytes before a request: they would look like an answer, so do not reuse the connection.
    if (this.exchange === undefined) this.destroy();
    else this.exchange.noteBytes(bytes);
  }

  private destroyWhenIdle(): void {
    this.reusable = false;
    if (this.exchange === undefined) this.socket.destroy();
  }
}

/** Reads a header like `Keep-Alive: timeout=5`. */
function promisedMs(headers: AnswerHeaders): number | undefined {
  const seconds = /\btimeout=(\d{1,6})\b/i.exec(headers['keep-alive'] ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
