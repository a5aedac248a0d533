/** Pictures that a profile or a token shows. Everybody who sees the record sees them; a guard of the record says so. */
import { MarketError } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { PicturedAgent, ShownPictures } from '../../access/shown-pictures.ts';
import type { Db } from '../../platform/db/database.ts';
import { foreignUpload } from './attach-uploads.ts';
import { holderOf, isHolder } from './file-holder.ts';
import type { FileLinks } from './file-links.ts';
import { attach, findUpload, listSubjects, lockUpload, type UploadRow } from './repository.ts';

export function shownPictures(links: FileLinks): ShownPictures {
  return {
    async requireShowable(on, url, by, agent) {
      const upload = await findShowable(on, links, url, by, agent);
      if (upload !== undefined && upload.mediaType !== 'image')
        throw new MarketError('invalid_input', {
          message: `There is no picture at ${url.slice(0, 200)}. Upload a JPEG, PNG, GIF or WebP.`,
        });
    },
    async show(tx, url, subjectId) {
      const id = links.idOf(url);
      const upload = id === undefined ? undefined : await lockUpload(tx, id);
      if (upload === undefined) return url;
      await attach(tx, [upload.id], subjectId);
      return links.urlOf(upload.id);
    },
  };
}

/** Undefined for an address elsewhere. Throws `foreign_upload` for a file that the caller may not show as this agent's. */
export async function findShowable(
  on: Db,
  links: FileLinks,
  url: string,
  by: Caller,
  agent: PicturedAgent | undefined,
): Promise<UploadRow | undefined> {
  const id = links.idOf(url);
  if (id === undefined) return undefined;
  const upload = await findUpload(on, id);
  const isAllowed = upload !== undefined && (isHolder(holderOf(by), upload) || (await isForAgent(on, upload, agent)));
  if (!isAllowed) throw foreignUpload(url);
  return upload;
}

/** Records that show pictures: agents, movements that mint, accounts and wallets. Files of other records stay private. */
const SHOWING = /^(ext_|agt_|mov_|user:|wallet:)/;

/**
 * True if the agent shows the picture already, or its owner uploaded it for nothing private. Uploads of the owner's other agents do not
 * count.
 */
async function isForAgent(on: Db, upload: UploadRow, agent: PicturedAgent | undefined): Promise<boolean> {
  if (agent === undefined) return false;
  const subjects = upload.attached ? await listSubjects(on, upload.id) : [];
  if (subjects.includes(agent.id)) return true;
  return upload.agentId === null && isOwners(upload, agent) && subjects.every((subject) => SHOWING.test(subject));
}

function isOwners({ userId, wallet }: UploadRow, { ownerUserId, ownerWallet, ownerProven }: PicturedAgent): boolean {
  return (userId !== null && userId === ownerUserId) || (ownerProven && wallet !== null && wallet === ownerWallet);
}
