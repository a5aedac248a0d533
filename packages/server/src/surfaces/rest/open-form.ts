/**
 * A multipart form with one file, read as it arrives: first the fields, which may contain credentials; then, once the caller is known and
 * allowed, the file. Only the fields are kept in memory.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { MarketError } from '@market/contract';
import type { ReceivedFile } from '../../access/call.ts';
import type { Spool } from '../../platform/storage/spool.ts';
import { spoolWithin } from '../receive-file.ts';
import { refuseHostileText } from '../refuse-hostile-text.ts';

export interface OpenForm {
  readonly fields: Readonly<Record<string, string>>;
  /** Throws unless the form has exactly one file in its field, neither empty nor too large, and nothing after it. */
  receiveFile(): Promise<ReceivedFile>;
}

export interface FormRules {
  readonly field: string;
  readonly maxBytes: number;
}

interface ArrivingFile {
  readonly stream: Readable;
  readonly fileName: string;
  readonly declaredType: string;
}

const MOST_FIELDS = 16;
const LONGEST_FIELD_BYTES = 16 * 1024;

export async function openForm(request: IncomingMessage, rules: FormRules, spool: Spool): Promise<OpenForm> {
  const fields = new Map<string, string>();
  const arrival = Promise.withResolvers<ArrivingFile | undefined>();
  const finished = Promise.withResolvers<void>();
  // A late failure that nobody awaits must not end the process.
  for (const { promise } of [arrival, finished]) promise.catch(() => undefined);
  let arriving: ArrivingFile | undefined;

  const fail = (error: MarketError): void => {
    request.unpipe(parser);
    arrival.reject(error);
    finished.reject(error);
    arriving?.stream.destroy(error);
  };
  const parser = createParser(request, fail);
  parser.on('field', (name: string | undefined, value, nameCut, valueCut) => {
    if (arriving !== undefined) fail(badForm(`Send the fields before the file, not after it.`));
    else if (name === undefined || nameCut || valueCut) fail(badForm('A field of the form has no name or is too long.'));
    else if (fields.has(name)) fail(badForm(`The form names the field ${name.slice(0, 60)} twice.`));
    else if (name === rules.field) fail(badForm(`${name} must be a file: a part with a file name.`));
    else fields.set(name, value);
  });
  parser.on('file', (name: string | undefined, stream, fileName: string | undefined, _encoding, declaredType) => {
    stream.on('error', () => undefined);
    arriving = { stream, fileName: fileName ?? '', declaredType };
    if (name === rules.field) arrival.resolve(arriving);
    else fail(badForm(`Send the file in the field ${rules.field}${name === undefined ? '' : `, not ${name.slice(0, 60)}`}.`));
  });
  parser.on('finish', () => {
    arrival.resolve(undefined);
    finished.resolve();
  });
  request.once('close', () => {
    if (!request.complete) fail(new MarketError('malformed_request', { message: 'The request ended before its body did.' }));
  });
  request.pipe(parser);

  const file = await arrival.promise;
  const content = Object.fromEntries(fields);
  refuseHostileText(content);
  return {
    fields: content,
    async receiveFile() {
      if (file === undefined)
        throw new MarketError('file_missing', { message: `The form holds no file. Send it in the field ${rules.field}.` });
      const spooled = await spoolWithin(rules.maxBytes, file.stream, spool);
      try {
        await finished.promise;
        if (spooled.sizeBytes === 0) throw new MarketError('file_empty');
      } catch (error) {
        await spool.discard(spooled);
        throw error;
      }
      return { ...spooled, fileName: file.fileName, declaredType: file.declaredType, discard: () => spool.discard(spooled) };
    },
  };
}

function createParser(request: IncomingMessage, fail: (error: MarketError) => void): BusboyInstance {
  const limits = {
    files: 1,
    fields: MOST_FIELDS,
    parts: MOST_FIELDS + 1,
    fieldNameSize: 100,
    fieldSize: LONGEST_FIELD_BYTES,
    headerPairs: 20,
    headerSize: 16 * 1024,
  };
  try {
    const parser = new Busboy({
      headers: request.headers as BusboyHeaders,
      limits,
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
    parser.on('partsLimit', () => fail(badForm('The form has too many parts.')));
    parser.on('fieldsLimit', () => fail(badForm('The form has too many fields.')));
    parser.on('filesLimit', () => fail(badForm('The form holds more than one file. Send one file per request.')));
    parser.on('error', () => fail(new MarketError('invalid_form')));
    return parser;
  } catch {
    throw new MarketError('invalid_form', { message: 'The form names no boundary in its Content-Type.' });
  }
}

function badForm(message: string): MarketError {
  return new MarketError('invalid_form', { message });
}
