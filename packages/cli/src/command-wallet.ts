/** A wallet that another program signs for, such as `cast` or `solana`: this program never sees its key. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { WalletSigner } from '@market/sdk';

/** `command` runs in the shell, reads the text from standard input and prints the signature on its last line. */
export function commandWallet(address: string, command: string): WalletSigner {
  return {
    address,
    async signMessage(message) {
      const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
      const ended = new Promise<number | null>((resolve) => {
        child.once('close', resolve);
        child.once('error', () => resolve(null));
      });
      // A command that does not read its input is no error.
      child.stdin.on('error', () => undefined);
      child.stdin.end(message);
      const [printed, code] = await Promise.all([text(child.stdout), ended]);
      const signature = printed.trim().split('\n').at(-1)?.trim() ?? '';
      if (code !== 0 || signature === '') throw new Error(`The command that signs for ${address} gave no signature (exit code ${code}).`);
      return signature;
    },
  };
}
