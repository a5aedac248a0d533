/** One open connection to an untrusted server, and the calls made on it, one after the other. */
import type { Socket } from 'node:net';
import { OutboundFault } from './outbound-fault.ts';
import { type ResponseHeaders, type ResponseLimits, ResponseReader } from './response-reader.ts';

export interface WireAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
}

interface Exchange {
  readonly reader: ResponseReader;
  readonly onHead: (() => void) | undefined;
  readonly resolve: (answer: WireAnswer) => void;
  readonly reject: (fault: OutboundFault) => void;
}

export class Connection {
  /** When it fell idle, by the monotonic clock. */
  idleSinceMs = 0;
  /** How long the server promises to keep an idle connection open; undefined: not stated. */
  keptOpenMs: number | undefined;

  private readonly socket: Socket;
  private exchange: Exchange | undefined;
  private reusable = true;
  private silent = true;

  constructor(socket: Socket) {
    this.socket = socket;
    // While idle it must not keep the process alive; a call under way has its deadline, which does.
    socket.unref();
    socket.on('data', (bytes) => this.receive(bytes));
    socket.on('error', (error: NodeJS.ErrnoException) => this.breakOff(error.code));
    socket.on('close', () => this.finishByClose());
    socket.on('end', () => this.finishByClose());
  }

  /** Reusable: the last answer had a clear end, and no bytes came since. */
  get isReusable(): boolean {
    return this.reusable && this.exchange === undefined && !this.socket.destroyed;
  }

  /** Not a byte has come since the last call began. */
  get isSilent(): boolean {
    return this.silent;
  }

  /** Calls `onHead` when the status is known and the body is still to come. */
  call(request: Buffer, limits: ResponseLimits, onHead?: () => void): Promise<WireAnswer> {
    this.silent = true;
    return new Promise((resolve, reject) => {
      const exchange: Exchange = { reader: new ResponseReader(limits), onHead, resolve, reject };
      this.exchange = exchange;
      // Calls that follow from answers read just now leave together: waking the other side for each of them costs twice the time.
      setImmediate(() => {
        if (this.exchange !== exchange) return;
        if (this.socket.destroyed) this.breakOff(undefined);
        else this.socket.write(request);
      });
    });
  }

  /** Status of the call under way, where it has come. */
  get status(): number | undefined {
    return this.exchange?.reader.status;
  }

  /** Ends the call under way with this. */
  abort(fault: OutboundFault): void {
    this.fail(fault);
  }

  destroy(): void {
    this.reusable = false;
    this.socket.destroy();
  }

  rest(): void {
    this.idleSinceMs = performance.now();
  }

  private receive(bytes: Buffer): void {
    const { exchange } = this;
    this.silent = false;
    // The server sent bytes before a request: do not reuse the connection, they would look like an answer.
    if (exchange === undefined) {
      this.destroy();
      return;
    }
    const { reader } = exchange;
    const hadHead = reader.status !== undefined;
    try {
      reader.feed(bytes);
    } catch (fault) {
      this.fail(fault as OutboundFault);
      return;
    }
    if (reader.isDone) this.succeed(exchange);
    else if (!hadHead && reader.status !== undefined) exchange.onHead?.();
  }

  private finishByClose(): void {
    const { exchange } = this;
    this.reusable = false;
    if (exchange === undefined) return;
    try {
      exchange.reader.end();
      this.succeed(exchange);
    } catch (fault) {
      this.fail(fault as OutboundFault);
    }
  }

  private breakOff(code: string | undefined): void {
    const status = this.exchange?.reader.status;
    const words = status === undefined ? 'No HTTP answer came back' : 'The connection broke before the answer ended';
    this.fail(new OutboundFault('protocol', `${words}${code === undefined ? '' : ` (${code})`}.`, status));
  }

  private succeed({ reader, resolve }: Exchange): void {
    this.exchange = undefined;
    this.reusable &&= reader.reusable;
    this.keptOpenMs = promisedMs(reader.headers);
    resolve({ status: reader.status ?? 0, headers: reader.headers, body: reader.body });
  }

  private fail(fault: OutboundFault): void {
    const { exchange } = this;
    this.exchange = undefined;
    this.destroy();
    exchange?.reject(fault);
  }
}

/** `Keep-Alive: timeout=5` */
function promisedMs(headers: ResponseHeaders): number | undefined {
  const seconds = /\btimeout=(\d{1,6})\b/i.exec(headers['keep-alive'] ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
