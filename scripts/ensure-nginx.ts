// The proxy tests put Debian's nginx in front of the market: found on the PATH or where Debian puts it, installed when we may.
import { delimiter, join } from 'node:path';
import { isProgram, runAptGet } from './ensure-chromium.ts';

export const NGINX_IS_MISSING =
  'The proxy tests need nginx, and it is not on this machine. Install it as root with "apt-get install nginx-light", ' +
  'or set NGINX to the path of an nginx.';

/** The program to start, if there is one. Debian's stands outside the PATH of ordinary accounts. */
export function findNginx(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { NGINX: chosen, PATH: path = '' } = environment;
  if (chosen !== undefined && chosen !== '') return isProgram(chosen) ? chosen : undefined;
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'nginx')).find(isProgram);
}

/** Installs Debian's package when there is no nginx and we are root; says what to do otherwise. */
export function ensureNginx(say: (message: string) => void): void {
  if (findNginx() !== undefined) return;
  const mayInstall = process.getuid?.() === 0 && (process.env['NGINX'] ?? '') === '';
  if (!mayInstall) {
    say(NGINX_IS_MISSING);
    return;
  }
  say('Installing nginx for the proxy tests (first run only)…');
  const trouble = runAptGet('update') ?? runAptGet('install', '--yes', '--no-install-recommends', 'nginx-light');
  if (trouble !== undefined || findNginx() === undefined) say([trouble, NGINX_IS_MISSING].filter(Boolean).join('\n'));
}
