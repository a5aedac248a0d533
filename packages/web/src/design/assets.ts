/** Style sheets and scripts, read once. They are inlined, so that a page is one answer and asks for nothing else. */
import { readFileSync } from 'node:fs';

function readAsset(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8').trim();
}

const sharedStyle = `${readAsset('./tokens.css')}\n${readAsset('./base.css')}`;

export const copyScript: string = readAsset('./copy.js');
export const filterScript: string = readAsset('../reference/filter.js');
/** For directories that show who offers a service; pages ask for nothing beside themselves. */
export const siteIcon: string = readAsset('./icon.svg');
export const plainStyle: string = sharedStyle;
export const homeStyle: string = `${sharedStyle}\n${readAsset('../home/home.css')}`;
export const referenceStyle: string = `${sharedStyle}\n${readAsset('../reference/reference.css')}\n${readAsset('../reference/operation.css')}`;
