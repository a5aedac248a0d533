/** A host that connects by OAuth with the official client: it stores the client's state, and listens for the redirect. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

type Stored<K extends 'clientInformation' | 'tokens'> = Awaited<ReturnType<OAuthClientProvider[K]>>;

export interface HostProgram {
  /** Calls a first time; returns the address to which the client sends the person. */
  begin(): Promise<URL>;
  /** The parameters of the redirect. */
  returned(): Promise<URLSearchParams>;
  finish(params: URLSearchParams): Promise<void>;
  connect(): Promise<Client>;
  readonly kept: { tokens: Stored<'tokens'>; information: Stored<'clientInformation'> };
  close(): Promise<void>;
}

export async function openHost(url: string, scope?: string): Promise<HostProgram> {
  let arrive: (params: URLSearchParams) => void = () => undefined;
  const returned = new Promise<URLSearchParams>((resolve) => {
    arrive = resolve;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    if (pathname === '/callback') arrive(searchParams);
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><html lang="en"><title>Back</title><p>You may close this window.</p>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const kept: { tokens: Stored<'tokens'>; information: Stored<'clientInformation'> } = { tokens: undefined, information: undefined };
  let sentTo: URL | undefined;
  let verifier = '';
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Desk Assistant',
      client_uri: 'https://assistant.example',
      redirect_uris: [redirectUrl],
      ...(scope !== undefined && { scope }),
    },
    state: () => 'from-the-host',
    clientInformation: () => kept.information,
    saveClientInformation: (information) => {
      kept.information = information;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (address) => {
      sentTo = address;
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
  const newTransport = () => new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider });
  let transport = newTransport();
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'host', version: '1.0.0' });
    transport = newTransport();
    await client.connect(transport);
    return client;
  };
  return {
    async begin() {
      const refused = await connect().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!(refused instanceof UnauthorizedError) || sentTo === undefined)
        throw new Error('the client was not asked to sign in', { cause: refused });
      return sentTo;
    },
    returned: () => returned,
    finish: (params) => transport.finishAuth(params),
    connect,
    kept,
    close: async () => void server.close().closeAllConnections(),
  };
}
