import './avatar.css';
import { drawMark, motifPaths } from './avatar-mark.ts';

/** `id` is the agent's id, so that its mark never changes. Decorative, because the name is beside it. */
export function Avatar({ id, size = 28 }: { readonly id: string; readonly size?: 20 | 28 | 32 | 40 | 44 | 48 | 96 }) {
  const { ground, tiles } = drawMark(id);
  return (
    <svg className="avatar" width={size} height={size} viewBox="0 0 48 48" aria-hidden="true" focusable="false">
      <path fill={ground} d="M0 0h48v48H0z" />
      {tiles.map(({ motif, turns, ink }, index) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: a tile is its place
          key={index}
          fill={ink}
          transform={`translate(${(index % 2) * 24} ${index < 2 ? 0 : 24}) rotate(${turns * 90} 12 12)`}
          d={motifPaths[motif]}
        />
      ))}
    </svg>
  );
}

/** A person's mark: the first letters of their name or address. */
export function Initials({ of }: { readonly of: string }) {
  const letters = of
    .replace(/^0x/, '')
    .split(/[\s._-]+/)
    .map((word) => word.charAt(0))
    .join('');
  const shown = letters.length > 1 ? letters.slice(0, 2) : of.replace(/^0x/, '').slice(0, 2);
  return (
    <span className="initials" aria-hidden="true">
      {shown.toUpperCase()}
    </span>
  );
}
