/**
 * Reserves a free port before its server exists, because the server must know its own address. The port stays bound until then:
 * otherwise another process, for example one of our own chains, could take it.
 */
import { createServer } from 'node:net';

export interface HeldPort {
  readonly port: number;
  /** Releases the port. Call it right before listening there. */
  release(): Promise<void>;
}

export async function holdFreePort(host: string): Promise<HeldPort> {
  const holder = createServer();
  await new Promise<void>((resolve, reject) => holder.once('error', reject).listen(0, host, resolve));
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return {
    port: address.port,
    release: () => new Promise((resolve) => void holder.close(() => resolve())),
  };
}
