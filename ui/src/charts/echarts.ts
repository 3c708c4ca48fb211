// The parts of ECharts that our charts need. They are the largest part of the download.

import { CustomChart, LineChart, type CustomSeriesOption, type LineSeriesOption } from 'echarts/charts'
import {
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  TooltipComponent,
  type GridComponentOption,
  type LegendComponentOption,
  type MarkAreaComponentOption,
  type TooltipComponentOption,
} from 'echarts/components'
import { init, use, type ComposeOption, type ECharts } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'

use([CustomChart, LineChart, GridComponent, LegendComponent, MarkAreaComponent, TooltipComponent, SVGRenderer])

export type EChartsOption = ComposeOption<
  CustomSeriesOption | LineSeriesOption | GridComponentOption | LegendComponentOption | MarkAreaComponentOption | TooltipComponentOption
>
export type { CustomSeriesOption, LineSeriesOption }

/** A chart in an element, as SVG. */
export function draw(element: HTMLElement, height: number): ECharts {
  return init(element, null, { renderer: 'svg', height })
}

export type { ECharts }
