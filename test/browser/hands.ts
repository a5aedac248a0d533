/** A visitor's input by mouse, finger or keyboard alone. Counts the presses. */
import type { BrowserPage, Role } from '../harness/browser.ts';

export interface Hands {
  /** Clicks, or Enter and Space on the keyboard; Tab is not counted. */
  presses(): number;
  press(role: Role, name: string | RegExp): Promise<void>;
  write(role: 'textbox' | 'searchbox', name: string | RegExp, text: string): Promise<void>;
}

export function withPointer({ page, find }: BrowserPage): Hands {
  let presses = 0;
  const press: Hands['press'] = async (role, name) => {
    presses += 1;
    await (await find(role, name)).click();
  };
  return {
    presses: () => presses,
    press,
    async write(role, name, text) {
      await press(role, name);
      await page.keyboard.insertText(text);
    },
  };
}

export function withKeyboard({ page, tabTo }: BrowserPage): Hands {
  let presses = 0;
  return {
    presses: () => presses,
    async press(role, name) {
      presses += 1;
      await tabTo(role, name);
      await page.keyboard.press(role === 'radio' || role === 'checkbox' ? 'Space' : 'Enter');
    },
    async write(role, name, text) {
      await tabTo(role, name);
      await page.keyboard.insertText(text);
    },
  };
}
