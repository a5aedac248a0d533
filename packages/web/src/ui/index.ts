/** The components that every page is built from. */

export { ApiCalls } from './code/api-call.tsx';
export { CodePanel, CodeTabs } from './code/code.tsx';
export { composeApiCall } from './code/compose-api-call.ts';
export { Chart, type ChartDay, type ChartSeries, Sparkline } from './display/chart.tsx';
export { type Column, DataTable } from './display/data-table.tsx';
export { type Fact, Facts } from './display/facts.tsx';
export { ChartRoom, LineChart, type LinePoint } from './display/line-chart.tsx';
export { More } from './display/more.tsx';
export { OutsideLink } from './display/outside-link.tsx';
export { Panel } from './display/panel.tsx';
export { Tabs } from './display/tabs.tsx';
export { useAnnounce } from './feedback/announcer.tsx';
export { Dialog } from './feedback/dialog.tsx';
export {
  Empty,
  ErrorState,
  Loaded,
  type LoadedProps,
  NoPermission,
  NotThere,
  Partial,
  SignInButton,
  Skeleton,
  Stale,
} from './feedback/states.tsx';
export { useToast } from './feedback/toast.tsx';
export { Button } from './inputs/button.tsx';
export { CheckField, type Choice, type RadioRow, RadioRows, RangeField, SelectField, TextArea, TextField } from './inputs/field.tsx';
export { ChosenFiles, FilePicker } from './inputs/file-picker.tsx';
export { Avatar, Initials } from './marks/avatar.tsx';
export { CopyButton, Hash } from './marks/hash.tsx';
export { Light } from './marks/light.tsx';
export { StatusChip } from './marks/status-chip.tsx';
export { Amount, BigAmount, PriceTag } from './money/amount.tsx';
export { MoneyLine, type MoneyStep } from './money/money-line.tsx';
export { MoneyPanel } from './money/money-panel.tsx';
export { SplitBar } from './money/split-bar.tsx';
export { Sum, type SumLine } from './money/sum.tsx';
export { Clock, Ruler } from './time/clock.tsx';
export { Ago, Time } from './time/time.tsx';
export { Timeline, type TimelineEntry } from './time/timeline.tsx';
export { classNames } from './words/class-names.ts';
export {
  formatAmount,
  formatBytes,
  formatCount,
  formatDays,
  formatDuration,
  formatHours,
  formatTime,
  parseTime,
  shorten,
} from './words/format.ts';
export { useNow, useVisitor } from './words/visitor.ts';
