/** `primary` (marigold) is the visitor's next action, one per view; `ink` is strong but nobody waits for it; `plain` is the rest. */
import './button.css';
import { type ReactNode, useId } from 'react';
import { classNames } from '../words/class-names.ts';

export interface ButtonProps {
  readonly children: ReactNode;
  readonly kind?: 'primary' | 'ink' | 'plain';
  readonly size?: 'small' | 'tall';
  readonly wide?: boolean;
  /** Renders a link that looks like a button. */
  readonly href?: string;
  readonly type?: 'button' | 'submit';
  readonly onClick?: () => void;
  /** Label while the action runs, during which it cannot start again. */
  readonly busy?: string | undefined;
  /** Why the action is unavailable. The button stays visible, dashed, with the reason beside it. */
  readonly disabledReason?: string | undefined;
  readonly label?: string;
}

export function Button({ children, kind = 'plain', size, wide, href, type = 'button', onClick, busy, disabledReason, label }: ButtonProps) {
  const reason = useId();
  const className = classNames('button', kind !== 'plain' && kind, size, wide === true && 'wide');
  if (href !== undefined && disabledReason === undefined)
    return (
      <a className={className} href={href} aria-label={label}>
        {children}
      </a>
    );
  const refused = disabledReason !== undefined || busy !== undefined;
  const button = (
    <button
      className={className}
      type={refused ? 'button' : type}
      aria-label={label}
      aria-disabled={refused || undefined}
      aria-describedby={disabledReason === undefined ? undefined : reason}
      onClick={refused ? undefined : onClick}
      data-busy={busy === undefined ? undefined : ''}
    >
      {busy ?? children}
    </button>
  );
  if (disabledReason === undefined) return button;
  return (
    <span className="not-now">
      {button}
      <span className="reason" id={reason}>
        {disabledReason}
      </span>
    </span>
  );
}
