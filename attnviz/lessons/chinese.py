"""Chinese words: where one ends and the next begins."""

import rjieba

from attnviz.lessons.lexicon import LEXICON

# The splitter's dictionary has simplified characters; it is asked about a text in which common
# traditional ones are replaced one by one, and the text itself is cut at the same places.
_PAIRS = """
墊垫萬万與与專专業业東东絲丝兩两嚴严喪丧個个豐丰臨临為为麗丽舉举麼么義义烏乌樂乐喬乔習习鄉乡書书買买
亂乱爭争於于虧亏雲云亞亚產产畝亩親亲億亿僅仅從从倉仓儀仪們们價价眾众優优夥伙會会傘伞偉伟傳传傷伤
倫伦偽伪體体餘余傭佣債债傾倾償偿兒儿黨党蘭兰關关興兴養养獸兽內内岡冈冊册寫写軍军農农馮冯衝冲決决
況况凍冻淨净涼凉減减湊凑幾几鳳凤憑凭凱凯擊击鑿凿劃划劉刘則则剛刚創创刪删別别劑剂劍剑劇剧勸劝辦办
務务動动勵励勁劲勞劳勢势勳勋勻匀區区醫医華华協协單单賣卖盧卢衛卫卻却廠厂廳厅歷历厲厉壓压厭厌廁厕
縣县參参雙双發发變变敘叙疊叠葉叶號号嘆叹嚇吓嗎吗啟启吳吴員员嗚呜詠咏響响啞哑嘩哗喚唤嘗尝噴喷團团
園园圍围國国圖图圓圆聖圣場场壞坏塊块堅坚壇坛墳坟墜坠壟垄牆墙壯壮聲声殼壳壺壶處处備备複复夠够頭头
誇夸夾夹奪夺獎奖奧奥妝妆婦妇媽妈嬌娇孫孙學学寧宁寶宝實实寵宠審审憲宪宮宫寬宽賓宾對对尋寻導导壽寿
將将爾尔塵尘屍尸盡尽層层屆届屬属歲岁豈岂島岛嶺岭峽峡幣币帥帅師师帳帐帶带幫帮幹干庫库應应廟庙龐庞
廢废開开異异棄弃張张彌弥彎弯彈弹強强歸归錄录徹彻徑径憶忆懷怀態态憐怜總总戀恋懇恳惡恶惱恼悅悦懸悬
驚惊懼惧慘惨慣惯憤愤願愿懶懒戲戏戰战戶户撲扑執执擴扩掃扫揚扬擾扰撫抚拋抛搶抢護护報报擔担擬拟擁拥
攔拦擇择掛挂擋挡擠挤揮挥撈捞損损撿捡換换據据擺摆搖摇攤摊敵敌斂敛數数齋斋斷断無无舊旧時时曠旷晝昼
顯显晉晋曬晒曉晓暈晕暫暂術术樸朴機机殺杀雜杂權权條条來来楊杨極极構构槍枪櫃柜標标棟栋欄栏樹树樣样
橋桥夢梦檢检樓楼歡欢歐欧殘残毀毁畢毕氣气漢汉湯汤溝沟沒没淚泪潔洁灑洒淺浅測测濟济濃浓湧涌濤涛潤润
漲涨溫温遊游灣湾濕湿滿满濾滤滅灭燈灯靈灵爐炉點点煉炼爛烂煩烦燒烧熱热愛爱爺爷牽牵狀状猶犹獨独獅狮
獄狱獵猎貓猫獻献現现環环電电畫画療疗瘋疯癢痒盜盗盤盘監监蓋盖著着睜睁矚瞩礦矿碼码磚砖確确禮礼禍祸
禪禅離离種种積积稱称稅税穩稳窮穷竊窃競竞筆笔筍笋簡简箏筝築筑籃篮類类糧粮糾纠紅红約约級级紀纪純纯
紙纸線线練练組组細细織织終终紹绍經经結结給给絕绝統统繼继績绩續续維维綠绿網网緊紧緒绪縮缩編编緣缘
罰罚羅罗聞闻聯联聰聪肅肃腸肠膚肤腎肾腫肿脹胀腦脑腳脚臉脸臺台艱艰艷艳藝艺節节蘇苏蘋苹莊庄葷荤藥药
營营蕭萧薩萨藍蓝蟲虫雖虽蝦虾螞蚂補补襯衬裝装褲裤見见觀观規规視视覺觉覽览觸触計计認认討讨讓让訓训
議议訊讯記记講讲許许論论設设訪访證证評评識识詞词試试詩诗話话該该詳详語语誤误說说請请諸诸課课誰谁
調调談谈謝谢謠谣譯译譽誉貝贝負负財财責责賢贤敗败貨货質质購购貴贵費费賀贺資资賽赛趕赶跡迹踐践躍跃
車车軌轨轉转輪轮軟软輕轻載载較较輛辆輩辈輸输辭辞邊边遼辽達达遷迁過过還还這这進进遠远違违連连遲迟
適适選选遺遗鄰邻醜丑醬酱裡里裏里鐘钟鋼钢錢钱鐵铁銀银銅铜鍵键鏡镜長长門门閃闪閉闭問问間间閱阅隊队
陽阳陰阴陣阵階阶際际陸陆陳陈險险隨随隱隐隻只難难雞鸡霧雾靜静頂顶項项順顺須须預预領领頗颇頻频題题
顏颜額额風风飛飞飯饭飲饮飼饲飽饱餓饿館馆馬马驗验騎骑騙骗魚鱼鳥鸟鴨鸭鵝鹅黃黄齊齐齒齿龍龙龜龟後后
"""
_SIMPLIFIED = str.maketrans(dict(zip(*[iter("".join(_PAIRS.split()))] * 2, strict=True)))


def chinese_words(text: str) -> list[str]:
    """Cut a run of Chinese characters, traditional or simplified, into words.

    A word that the lexicon does not know is taken apart where it knows every character of it, so
    that 他會開會 is 他, 會, 開, 會.
    """
    words, start = [], 0
    for found in rjieba.cut(text.translate(_SIMPLIFIED), hmm=False):
        word = text[start : start + len(found)]
        known = word not in LEXICON and all(character in LEXICON for character in word)
        words += list(word) if known else [word]
        start += len(word)
    return words
