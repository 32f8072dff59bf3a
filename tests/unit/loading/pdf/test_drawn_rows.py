"""Cells of several lines in ruled rows, each set in the middle of its height."""

from pathlib import Path

from tests.unit.loading.pdf.test_drawn_cells import Cell, row, tables

LEADING = 18


def test_a_label_in_the_middle_of_several_lines_is_in_their_row(tmp_path: Path) -> None:
    cells = [
        *row(0, "条款号", "条款名称", "内容"),
        *row(1, "1.1.2", "招标人", "海宁医院\n文苑路\n联系周工\n电话八位"),
        *row(2, "1.3.2", "交货期", "六十日"),
        *row(3, "3.4.1", "保证金", "要求\n五万元"),
    ]
    assert tables(tmp_path / "m.pdf", cells, 80, LEADING)[1:] == [
        "| 1.1.2 | 招标人 | 海宁医院 文苑路 联系周工 电话八位 |",
        "| 1.3.2 | 交货期 | 六十日 |",
        "| 3.4.1 | 保证金 | 要求 五万元 |",
    ]


def test_lessons_of_two_and_three_lines_stay_whole(tmp_path: Path) -> None:
    cells = [
        *row(0, "时间", "", "星期一", "星期二"),
        Cell(0, 1, "上午", down=2),
        *row(1, "", "一二节\n8:00", "操作系统\n张伟\n单周", "高等数学\n刘洋")[1:],
        *row(2, "", "三四节\n10:00", "数据库\n李娜", "体育\n田径场")[1:],
        *row(3, "下午", "五六节\n14:00", "", "编译原理\n陈曦"),
        *row(4, "晚上", "七八节\n19:00", "自习", "自习"),
    ]
    assert tables(tmp_path / "l.pdf", cells, 64, LEADING)[1:] == [
        "| 上午 | 一二节8:00 | 操作系统 张伟 单周 | 高等数学 刘洋 |",
        "| | 三四节10:00 | 数据库 李娜 | 体育 田径场 |",
        "| 下午 | 五六节14:00 | | 编译原理 陈曦 |",
        "| 晚上 | 七八节19:00 | 自习 | 自习 |",
    ]


def test_a_label_whose_lines_stand_beside_several_rows_is_one(tmp_path: Path) -> None:
    cells = [
        *row(0, "因素", "项目", "分值"),
        Cell(0, 1, "商务部\n分\n（30\n分）", down=3),
        *row(1, "", "企业业绩", "12")[1:],
        *row(2, "", "企业信誉", "8")[1:],
        *row(3, "", "售后服务", "10")[1:],
    ]
    assert tables(tmp_path / "b.pdf", cells, 26, LEADING)[1:] == [
        "| 商务部 分（30 分） | 企业业绩 | 12 |",
        "| | 企业信誉 | 8 |",
        "| | 售后服务 | 10 |",
    ]


def test_the_end_of_a_range_stands_in_its_row(tmp_path: Path) -> None:
    cells = [
        *row(0, "年度", "起止", "月租"),
        *row(1, "第一年", "2025.05.01-\n2026.04.30", "22,920\n"),
        *row(2, "第二年", "2026.05.01-\n2027.04.30", "24,066\n"),
    ]
    assert tables(tmp_path / "r.pdf", cells, 50, LEADING)[1:] == [
        "| 第一年 | 2025.05.01-2026.04.30 | 22,920 |",
        "| 第二年 | 2026.05.01-2027.04.30 | 24,066 |",
    ]


def test_lines_of_one_chinese_text_are_no_figures_below_each_other(tmp_path: Path) -> None:
    cells = [
        *row(0, "名称", "型号", "数量", "存放"),
        *row(1, "天平", "FA2004", "2", "准备室"),
        *row(
            2,
            "离心机\n\n\n",
            "TD5A，最高转\n速5000转每\n分，含12个10\n毫升转子",
            "1\n\n\n",
            "生物室\n\n\n",
        ),
        *row(3, "水浴锅", "HH4", "3", "化学室"),
    ]
    assert tables(tmp_path / "c.pdf", cells, 64, LEADING)[1:] == [
        "| 天平 | FA2004 | 2 | 准备室 |",
        "| 离心机 | TD5A，最高转速5000转每分，含12个10毫升转子 | 1 | 生物室 |",
        "| 水浴锅 | HH4 | 3 | 化学室 |",
    ]


def test_names_above_figures_in_one_ruled_row_stay_rows(tmp_path: Path) -> None:
    cells = [
        *row(0, "项目", "本年", "上年"),
        *row(1, "流动资产\n货币资金\n应收账款", "\n320\n45", "\n310\n44"),
        *row(2, "合计", "365", "354"),
        *row(3, "负债", "12", "13"),
    ]
    assert "| 货币资金 | 320 | 310 |" in tables(tmp_path / "f.pdf", cells, 80, LEADING)
