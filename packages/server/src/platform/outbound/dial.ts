/** Opens the connection of one outbound call, only to an address that was just checked. */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { OutboundFault } from './outbound-fault.ts';
import { bareHost, effectivePort } from './public-url.ts';

/** If one of several addresses does not answer, the next one is tried after this long. */
const NEXT_ADDRESS_MS = 1_000;

/** Aborting the signal ends the attempt and, later, the connection itself. */
export async function dial(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  const host = bareHost(url);
  const tcp = connectTcp({
    host,
    port: effectivePort(url),
    // Node calls this for names only. It dials a literal address as it stands, and that address was checked.
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
    signal,
  });
  await untilEvent(tcp, 'connect', 'connect');
  if (url.protocol === 'http:') return tcp;
  const tls = connectTls({
    socket: tcp,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    // Set explicitly, because an environment variable can turn the default off.
    rejectUnauthorized: true,
  });
  await untilEvent(tls, 'secureConnect', 'tls');
  return tls;
}

/** Returns the checked addresses instead of asking DNS again: a changed answer must not redirect the call. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, reply) => {
    const [first] = answers;
    if (all === true) reply(null, answers);
    else reply(null, first?.address ?? '', first?.family);
  };
}

async function untilEvent(socket: Socket, event: 'connect' | 'secureConnect', stage: keyof typeof words): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error?: NodeJS.ErrnoException): void => {
      reject(new OutboundFault(stage, `${words[stage]}${error?.code === undefined ? '' : ` (${error.code})`}.`));
    };
    socket.once(event, resolve);
    // Keep this listener for the life of the socket: an unhandled error event would end the process.
    socket.on('error', fail);
    socket.once('close', () => fail());
  });
}

const words = { connect: 'No connection could be opened', tls: 'No trusted TLS connection could be opened' };
