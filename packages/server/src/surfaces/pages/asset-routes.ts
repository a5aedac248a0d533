/** The files of the built site. Their names contain a hash of their content, so they may be cached for ever. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MarketError } from '@market/contract';
import type { BuiltSite } from '@market/web';
import type { FastifyInstance } from 'fastify';
import { chooseEncoding } from './choose-encoding.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/vnd.microsoft.icon',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const FOR_EVER = 'public, max-age=31536000, immutable';
const FOR_A_DAY = 'public, max-age=86400';
const suffixes = { br: '.br', gzip: '.gz' } as const;

export function addAssetRoutes(app: FastifyInstance, site: BuiltSite | undefined): void {
  const folder = site?.clientFolder;
  const kept = new Map<string, Promise<Buffer>>();
  const read = (file: string): Promise<Buffer> => {
    const known = kept.get(file) ?? readFile(file);
    kept.set(file, known);
    return known;
  };
  const addFiles = (address: string, cacheControl: string) =>
    app.get<{ Params: { name: string } }>(`${address}/:name`, async (request, reply) => {
      const { name } = request.params;
      const type = types[path.extname(name)];
      const file = folder === undefined || !/^[\w][\w.-]*$/.test(name) ? undefined : path.join(folder, address, name);
      if (type === undefined || file === undefined || !existsSync(file)) throw new MarketError('not_found');
      const encoding = chooseEncoding(request.headers['accept-encoding']);
      const encoded = encoding === undefined ? undefined : `${file}${suffixes[encoding]}`;
      const isEncoded = encoded !== undefined && existsSync(encoded);
      if (isEncoded) reply.header('Content-Encoding', encoding);
      return reply
        .type(type)
        .header('Cache-Control', cacheControl)
        .header('Vary', 'Accept-Encoding')
        .send(await read(isEncoded ? encoded : file));
    });
  addFiles('/assets', FOR_EVER);
  addFiles('/previews', FOR_A_DAY);
  for (const name of ['favicon.svg', 'favicon.ico']) {
    app.get(`/${name}`, async (_request, reply) => {
      if (folder === undefined) throw new MarketError('not_found');
      return reply
        .type(types[path.extname(name)] ?? '')
        .header('Cache-Control', FOR_A_DAY)
        .send(await read(path.join(folder, name)));
    });
  }
}
