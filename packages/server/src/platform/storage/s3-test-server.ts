/**
 * A test store with just enough S3. It recomputes every signature from the published rules (Signature Version 4), the payload's hash
 * included. So a client that signs wrongly fails here as at a real store.
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Options } from './s3-storage.ts';

export interface S3TestServer {
  readonly options: S3Options;
  readonly objects: Map<string, Buffer>;
  /** Answers the next `times` requests with this status. */
  failNext(status: number, times: number): void;
  /** Changes a byte of the next object it stores. */
  damageNext(): void;
  close(): Promise<void>;
}

export async function startS3TestServer(): Promise<S3TestServer> {
  const objects = new Map<string, Buffer>();
  let failures = { status: 500, left: 0 };
  let damage = false;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    if (failures.left > 0) {
      failures.left -= 1;
      return void response.writeHead(failures.status).end('<Error><Code>SlowDown</Code></Error>');
    }
    if (damage && body.length > 0) body[0] = (body[0] ?? 0) ^ 1;
    damage = false;
    const refusal = refusalOf(request, body, options);
    if (refusal !== undefined) return void response.writeHead(403).end(`<Error><Code>${refusal}</Code></Error>`);
    serve(request, response, body, objects, options.bucket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const options: S3Options = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'market-files',
    region: 'eu-test-1',
    accessKey: 'AKTEST',
    secretKey: 'secret/of+the=test',
  };
  return {
    options,
    objects,
    failNext(status, times) {
      failures = { status, left: times };
    },
    damageNext() {
      damage = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(request: IncomingMessage, response: ServerResponse, body: Buffer, objects: Map<string, Buffer>, bucket: string): void {
  const key = new URL(request.url ?? '/', 'http://x').pathname.slice(`/${bucket}/`.length);
  if (request.method === 'PUT') {
    // Like real stores, wants the length in advance and refuses a chunked body.
    if (request.headers['content-length'] === undefined) return void response.writeHead(411).end();
    objects.set(key, body);
    return void response.writeHead(200).end();
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return void response.writeHead(204).end();
  }
  const object = objects.get(key);
  if (object === undefined) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (start === undefined || end === undefined) return void response.writeHead(200).end(object);
  response
    .writeHead(206, { 'content-range': `bytes ${start}-${end}/${object.length}` })
    .end(object.subarray(Number(start), Number(end) + 1));
}

function refusalOf(request: IncomingMessage, body: Buffer, options: S3Options): string | undefined {
  const [, accessKey, date, region, signedHeaders = '', given] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  if (given === undefined || accessKey !== options.accessKey || region !== options.region) return 'AccessDenied';
  const payload = String(request.headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const names = signedHeaders.split(';');
  if (!names.includes('host') || !names.includes('x-amz-content-sha256') || !names.includes('x-amz-date')) return 'AccessDenied';
  const headers = names.map((name): [string, string] => [name, String(request.headers[name])]);
  const wanted = signatureOf({
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    payload,
    time: String(request.headers['x-amz-date']),
    region,
    secretKey: options.secretKey,
  });
  return wanted === given && String(request.headers['x-amz-date']).startsWith(date ?? '-') ? undefined : 'SignatureDoesNotMatch';
}

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payload: string;
  readonly time: string;
  readonly region: string;
  readonly secretKey: string;
}

export function signatureOf({ method, path, headers, payload, time, region, secretKey }: SignedRequest): string {
  const [pathname = '', query = ''] = path.split('?');
  const lines = headers.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  const canonical = [method, pathname, query, lines, headers.map(([name]) => name).join(';'), payload].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = [time.slice(0, 8), region, 's3', 'aws4_request'].reduce<Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    Buffer.from(`AWS4${secretKey}`),
  );
  return createHmac('sha256', key)
    .update(['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n'))
    .digest('hex');
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
